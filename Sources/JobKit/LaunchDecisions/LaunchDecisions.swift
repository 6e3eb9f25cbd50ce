/// Decides which of many things an app presents after its launch, and when.
///
/// An update notice, a change of city, an advertisement, the page of a notification: each may turn
/// out to be needed, early or late, and only one may be on the screen at a time. Code that learns
/// of a need calls ``set(_:for:)``. Code that can present an item says how, once, with
/// ``whenPresented(_:_:)`` and ``whenWithdrawn(_:_:)``. Neither has to know the other items.
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
/// - At most one item of the priority list is executing: the needed one of highest priority that is
///   not completed. Independent items execute as soon as they are needed.
/// - Nothing is presented before ``open()``.
/// - An item in neither list is never presented; its need can be set, read and followed. An item in
///   both lists counts as prioritized.
///
/// The closures run one at a time, in the order of the changes, on the thread whose call found no
/// other closure running: usually the thread that made the change. A change that is made while a
/// closure runs takes effect at once; its own closures run after the running one.
///
/// The closures are retained as long as the decisions, so a closure should capture its view, and
/// the decisions, weakly.
///
/// > Thread: Any. No lock is held while a closure runs, and a closure may call every method.
public final class LaunchDecisions<Item: Hashable & Sendable>: Sendable {
    /// The state of a needed item.
    public enum State: Sendable {
        /// It waits for the opening or for an item above it, or it was withdrawn.
        case suspended

        /// It is presented.
        case executing

        /// It was presented and has been dealt with.
        case completed
    }

    private typealias Reaction = @Sendable () -> Void
    private typealias Reader = AsyncStream<LaunchNeed>.Continuation

    private struct Shared {
        var machine: LaunchDecisionsStateMachine<Item, Reaction>
        /// The readers of each item's needs, by numbers.
        var readers: [Item: [Int: Reader]] = [:]
        var readerCount = 0
        // Closures and streams have an outbox each: a closure that blocks delays no stream.
        var updates = Outbox<(reader: Reader, need: LaunchNeed)>()
        var reactions = Outbox<Reaction>()
    }

    private let guarded: Guarded<Shared>

    /// Creates decisions in which the need for every item is unknown.
    ///
    /// - Parameters:
    ///   - priority: The items that are presented one at a time, the most urgent first. If an item
    ///     appears twice, its first place counts.
    ///   - independent: The items that are presented regardless of the others.
    ///   - waitsForUnknown: Whether an item waits until the need of every item above it is known. A
    ///     presented item stays if one above it becomes unknown again.
    public init(priority: [Item], independent: Set<Item> = [], waitsForUnknown: Bool = false) {
        let machine = LaunchDecisionsStateMachine<Item, Reaction>(
            priority: priority,
            independent: independent,
            waitsForUnknown: waitsForUnknown
        )
        guarded = Guarded(Shared(machine: machine))
    }

    deinit {
        let readers = guarded.withLock { $0.readers.values.flatMap(\.values) }
        for reader in readers { reader.finish() }
    }

    /// Says whether there is something to present for an item.
    ///
    /// An executing item that is no longer needed is withdrawn. A completed item is presented again
    /// only after its need has changed. Setting the same need again changes nothing, but
    /// ``updates(for:)`` delivers it.
    ///
    /// - Parameters:
    ///   - need: What is known now.
    ///   - item: The item.
    public func set(_ need: LaunchNeed, for item: Item) {
        send { shared in
            for reader in (shared.readers[item] ?? [:]).values {
                shared.updates.add((reader, need))
            }
            return shared.machine.needSet(need, for: item)
        }
    }

    /// Returns the need that was last set for an item.
    ///
    /// - Parameter item: The item.
    /// - Returns: The need; `.unknown` if none was set.
    public func need(for item: Item) -> LaunchNeed {
        guarded.withLock { $0.machine.need(for: item) }
    }

    /// Returns the state of an item.
    ///
    /// The state shows the effect of a change when the method that made the change returns, even if
    /// closures have yet to run.
    ///
    /// - Parameter item: The item.
    /// - Returns: The state; nil if the item is not needed, or is in neither list.
    public func state(of item: Item) -> State? {
        guarded.withLock { $0.machine.state(of: item) }
    }

    /// Follows an item's need: the latest value first, then every value that is set, in order.
    ///
    /// Values wait in the stream until they are read. A stream ends when the decisions are
    /// released, and does not keep them alive.
    ///
    /// - Parameter item: The item to follow.
    /// - Returns: A new stream, for one reader.
    public func updates(for item: Item) -> AsyncStream<LaunchNeed> {
        let (stream, reader) = AsyncStream.makeStream(of: LaunchNeed.self)
        var number = 0
        send { shared in
            shared.readerCount += 1
            number = shared.readerCount
            shared.readers[item, default: [:]][number] = reader
            shared.updates.add((reader, shared.machine.need(for: item)))
            return []
        }
        reader.onTermination = { [weak self, number] _ in
            _ = self?.guarded.withLock { $0.readers[item]?.removeValue(forKey: number) }
        }
        return stream
    }

    /// Adds a closure that presents an item.
    ///
    /// The closure runs each time the item starts executing. Several closures of an item run in the
    /// order in which they were added. If the item is already executing, the closure runs at once.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - body: Presents the item. Retained until the decisions are released.
    public func whenPresented(_ item: Item, _ body: @escaping @Sendable () -> Void) {
        send { $0.machine.presentationAdded(body, for: item) }
    }

    /// Adds a closure that takes an item off the screen.
    ///
    /// The closure runs each time the item stops executing without being completed: an item above
    /// it is presented, or it is no longer needed.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - body: Takes the item off the screen. Retained until the decisions are released.
    public func whenWithdrawn(_ item: Item, _ body: @escaping @Sendable () -> Void) {
        send {
            $0.machine.withdrawalAdded(body, for: item)
            return []
        }
    }

    /// Allows items to be presented, because the home screen has appeared.
    ///
    /// The item of the priority list comes first, then the independent items in the order in which
    /// they became needed. Opening twice has no effect.
    public func open() {
        send { $0.machine.opened() }
    }

    /// Says that an executing item has been dealt with; the next one by priority is presented.
    ///
    /// Ignored if the item is not executing, for example because it was withdrawn meanwhile.
    ///
    /// - Parameter item: The item.
    public func complete(_ item: Item) {
        send { $0.machine.itemCompleted(item) }
    }

    /// Moves an item of the priority list up, to directly before another.
    ///
    /// A needed item that moves above the executing one is presented in its place. Of decisions
    /// that wait for unknown items, an unknown one that moves above the executing one withdraws it
    /// until the need is known. An item that already comes before the other keeps its place. If
    /// either item is missing from the priority list, nothing changes.
    ///
    /// - Parameters:
    ///   - item: The item to move up.
    ///   - other: The item that comes directly after it from now on.
    public func prioritize(_ item: Item, before other: Item) {
        send { $0.machine.itemPrioritized(item, before: other) }
    }

    /// Makes a change under the lock, then feeds streams and runs closures with it released.
    private func send(_ change: (inout Shared) -> [Reaction]) {
        let (mustUpdate, mustReact) = guarded.withLock { shared in
            let reactions = change(&shared)
            return (shared.updates.claim(), shared.reactions.actionsDecided(reactions))
        }
        if mustUpdate {
            while let (reader, need) = guarded.withLock({ $0.updates.nextAction() }) {
                reader.yield(need)
            }
        }
        if mustReact {
            while let reaction = guarded.withLock({ $0.reactions.nextAction() }) { reaction() }
        }
    }
}

/// Whether there is something to present for a launch item.
public enum LaunchNeed: Sendable {
    /// Not known yet, for example because a server has not answered.
    case unknown

    /// There is something to present.
    case needed

    /// There is nothing to present.
    case notNeeded
}
