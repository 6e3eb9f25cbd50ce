/// Decides which of many things an app presents after its launch, and when.
///
/// An update notice, a change of city, an advertisement, the page of a notification: each may turn
/// out to be needed, early or late, and no two may be on the screen together. Whoever learns of a
/// need calls ``set(_:for:)``; whoever can present an item says how, once, with
/// ``whenPresented(_:_:)`` and ``whenWithdrawn(_:_:)``. Neither knows the other items.
///
/// ```swift
/// let decisions = LaunchDecisions(priority: ["upgrade", "city"], independent: ["badge"])
/// decisions.whenPresented("city") { print("Show the city alert") }
/// decisions.whenWithdrawn("city") { print("Hide the city alert") }
/// decisions.set(.needed, for: "city")
/// decisions.open()                          // Show the city alert
/// decisions.set(.needed, for: "upgrade")    // Hide the city alert
/// ```
///
/// - Of the priority list at most one item is executing: the needed one of highest priority that is
///   not completed. Independent items execute as soon as they are needed.
/// - Nothing is presented before ``open()``.
/// - An item in neither list is never presented; its need can be set, read and followed. One in
///   both counts as prioritized.
///
/// The closures run one at a time, in the order of the changes, on the thread whose call found no
/// other closure running: usually the one that made the change. A change made by a closure, or
/// beside a running closure, takes effect at once; its own closures run after the running one.
///
/// The decisions keep their closures until they are released themselves, so a closure captures its
/// view, and the decisions, weakly.
///
/// > Thread: Any. No closure runs under a lock, and each may call every method.
public final class LaunchDecisions<Item: Hashable & Sendable>: Sendable {
    /// Where an item that is needed stands.
    public enum State: Sendable {
        /// It waits: for the opening, for an item above it, or, withdrawn, to be presented again.
        case suspended

        /// It is presented.
        case executing

        /// It was presented and has been dealt with.
        case completed
    }

    private let effects: LaunchDecisionsEffects<Item>

    /// Makes decisions of which every item is still unknown.
    ///
    /// - Parameters:
    ///   - priority: The items of which one at a time is presented, the most urgent first. Of an
    ///     item that stands here twice, the first place counts.
    ///   - independent: The items that are presented whatever else is.
    ///   - waitsForUnknown: Whether an item waits until the need of every item above it is known. An
    ///     item that is presented already stays when one above it becomes unknown again.
    public init(priority: [Item], independent: Set<Item> = [], waitsForUnknown: Bool = false) {
        effects = LaunchDecisionsEffects(
            priority: priority,
            independent: independent,
            waitsForUnknown: waitsForUnknown
        )
    }

    /// Says whether there is something to present for an item.
    ///
    /// An executing item that is no longer needed is withdrawn. A completed one is presented again
    /// only after its need was something else. The same need once more changes nothing, but is told
    /// to the ``updates(for:)``.
    ///
    /// - Parameters:
    ///   - need: What is known now.
    ///   - item: The item it is known of.
    public func set(_ need: Need, for item: Item) {
        effects.send { $0.needSet(need, for: item) }
    }

    /// Reads what was last set for an item.
    ///
    /// - Parameter item: The item asked for.
    /// - Returns: The need; `.unknown` if nothing was set.
    public func need(for item: Item) -> Need {
        effects.read { $0.need(for: item) }
    }

    /// Reads where an item stands.
    ///
    /// The effect of a change shows when the method that made it returns, also where the closures
    /// have yet to run.
    ///
    /// - Parameter item: The item asked for.
    /// - Returns: The state; `nil` unless the item is needed, and of an item in neither list.
    public func state(of item: Item) -> State? {
        effects.read { $0.state(of: item) }
    }

    /// Follows an item's need: the latest value first, then every value set, none lost or reordered.
    ///
    /// Values wait in the stream until they are read. A stream ends when the decisions are released,
    /// and does not keep them alive.
    ///
    /// - Parameter item: The item to follow.
    /// - Returns: A stream of its own for each call, for one reader.
    public func updates(for item: Item) -> AsyncStream<Need> {
        effects.updates(for: item)
    }

    /// Adds a closure that presents an item.
    ///
    /// It runs each time the item starts executing; several closures of an item run in the order in
    /// which they were added. Added to an item that is executing already, it runs at once: a screen
    /// that comes late misses nothing.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - body: Presents it. Kept until the decisions are released.
    public func whenPresented(_ item: Item, _ body: @escaping @Sendable () -> Void) {
        effects.send { $0.presentationAdded(body, for: item) }
    }

    /// Adds a closure that takes an item off the screen.
    ///
    /// It runs each time the item stops executing without being completed: an item above it is
    /// presented, or it is no longer needed. An item completed is not withdrawn.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - body: Takes it off the screen. Kept until the decisions are released.
    public func whenWithdrawn(_ item: Item, _ body: @escaping @Sendable () -> Void) {
        effects.send {
            $0.withdrawalAdded(body, for: item)
            return LaunchDecisionsEffects<Item>.Machine.Decision()
        }
    }

    /// Lets items be presented: the home screen has appeared.
    ///
    /// The item of the priority list comes first, then the independent ones in the order in which
    /// they became needed. Opening twice changes nothing.
    public func open() {
        effects.send { $0.opened() }
    }

    /// Says that an executing item has been dealt with; the next one by priority is presented.
    ///
    /// Of an item that is not executing, for example one withdrawn meanwhile, it changes nothing.
    ///
    /// - Parameter item: The item.
    public func complete(_ item: Item) {
        effects.send { $0.itemCompleted(item) }
    }

    /// Moves an item of the priority list up, to directly before another.
    ///
    /// Needed and moved above the executing item, it withdraws that one and is presented. An item
    /// that stands before the other already stays where it is. Unless both are in the priority list,
    /// nothing changes.
    ///
    /// - Parameters:
    ///   - item: The item to move up.
    ///   - other: The item that comes directly after it from now on.
    public func prioritize(_ item: Item, before other: Item) {
        effects.send { $0.itemPrioritized(item, before: other) }
    }
}
