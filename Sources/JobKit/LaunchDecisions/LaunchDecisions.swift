/// Decides which of several items an app presents after its launch, and when.
///
/// Examples are an update notice, a change of city, an advertisement, or the page of a
/// notification. Each item may turn out to be needed, early or late, and only one may be on the
/// screen at a time. Code that detects a need calls ``set(_:for:)``. Code that can present an item
/// registers once with ``whenPresented(_:_:)`` and ``whenWithdrawn(_:_:)``. Neither depends on the
/// other items.
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
/// - At most one item of the priority list is executing: the one with the highest priority that is
///   needed and not completed. Independent items execute as soon as they are needed.
/// - Nothing is presented before ``open()``.
/// - An item in neither list is never presented, but its need can be set, read and followed. An
///   item in both lists counts as prioritized.
///
/// The closures run one at a time, in the order of the changes. A closure usually runs on the
/// thread that made the change. If another closure is running, it runs after that one, on the same
/// thread. The change itself takes effect immediately, even if a closure made it.
///
/// The closures are retained until the decisions are released, so a closure should capture its view
/// and the decisions weakly.
///
/// > Thread: Any. No lock is held while a closure runs, and a closure may call every method.
public final class LaunchDecisions<Item: Hashable & Sendable>: Sendable {
    /// The state of a needed item.
    public enum State: Sendable {
        /// The item waits for the opening or for an item above it, or it was withdrawn.
        case suspended

        /// The item is presented.
        case executing

        /// The item was presented and has been dealt with.
        case completed
    }

    private typealias Reaction = @Sendable () -> Void
    private typealias Reader = AsyncStream<LaunchNeed>.Continuation

    private struct Shared {
        var machine: LaunchDecisionsStateMachine<Item, Reaction>
        /// The streams of each item's need.
        ///
        /// A number identifies each, so that it can be removed when its reader ends it.
        var readers: [Item: [Int: Reader]] = [:]
        var readerCount = 0
        // Closures and streams have separate queues, so that a closure that blocks delays no
        // stream.
        var updates = ActionQueue<(reader: Reader, need: LaunchNeed)>()
        var reactions = ActionQueue<Reaction>()
    }

    private let guarded: Guarded<Shared>

    /// Creates decisions with an unknown need for every item.
    ///
    /// - Parameters:
    ///   - priority: The items that are presented one at a time, the most urgent first. If an item
    ///     appears twice, its first position counts.
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

    /// Sets whether there is something to present for an item.
    ///
    /// An executing item that is no longer needed is withdrawn. A completed item is presented again
    /// only after its need has changed. Setting the same need again has no effect, except that
    /// ``updates(for:)`` delivers it.
    ///
    /// - Parameters:
    ///   - need: The need that is known now.
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
    /// - Returns: The need, or `.unknown` if none was set.
    public func need(for item: Item) -> LaunchNeed {
        guarded.withLock { $0.machine.need(for: item) }
    }

    /// Returns the state of an item.
    ///
    /// When a method that makes a change returns, the state shows the effect, even if closures have
    /// not run yet.
    ///
    /// - Parameter item: The item.
    /// - Returns: The state. Nil if the item is not needed or is in neither list.
    public func state(of item: Item) -> State? {
        guarded.withLock { $0.machine.state(of: item) }
    }

    /// Returns a stream of an item's need.
    ///
    /// The stream begins with the latest value, followed by every value that is set, in order.
    /// Values wait in the stream until they are read. The stream ends when the decisions are
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
    ///   - body: Presents the item. It is retained until the decisions are released.
    public func whenPresented(_ item: Item, _ body: @escaping @Sendable () -> Void) {
        send { $0.machine.presentationAdded(body, for: item) }
    }

    /// Adds a closure that takes an item off the screen.
    ///
    /// The closure runs each time the item stops executing without being completed, because an item
    /// above it is presented or because it is no longer needed.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - body: Takes the item off the screen. It is retained until the decisions are released.
    public func whenWithdrawn(_ item: Item, _ body: @escaping @Sendable () -> Void) {
        guarded.withLock { $0.machine.withdrawalAdded(body, for: item) }
    }

    /// Allows items to be presented, because the home screen has appeared.
    ///
    /// The item of the priority list comes first, then the independent items in the order in which
    /// they became needed. Opening twice has no effect.
    public func open() {
        send { $0.machine.opened() }
    }

    /// Completes an executing item that has been dealt with.
    ///
    /// The next item by priority is presented. If the item is not executing, for example because it
    /// was withdrawn in the meantime, nothing happens.
    ///
    /// - Parameter item: The item.
    public func complete(_ item: Item) {
        send { $0.machine.itemCompleted(item) }
    }

    /// Moves an item of the priority list up to just before another item.
    ///
    /// A needed item that moves above the executing one is presented instead. If the decisions wait
    /// for unknown items, an unknown item that moves above the executing one withdraws it until the
    /// need is known. An item that is already before the other one does not move. If either item is
    /// missing from the priority list, nothing changes.
    ///
    /// - Parameters:
    ///   - item: The item to move up.
    ///   - other: The item that follows directly after the moved one.
    public func prioritize(_ item: Item, before other: Item) {
        send { $0.machine.itemPrioritized(item, before: other) }
    }

    /// Makes a change under the lock, and feeds streams and runs closures after the lock is
    /// released.
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
