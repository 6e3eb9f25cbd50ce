import Dispatch
import Foundation
import Synchronization

/// What JobKit knows of plain operations; a ``ConcurrentOperation`` keeps this itself.
///
/// That is the queue that an operation stands in, its listeners and dependents, and its number in
/// events. An operation is known, and retained, from the first of these until it has finished or
/// nothing waits for it any more: so no other operation has its address meanwhile. A ``TaskQueue``
/// that starts the operation learns of the finish, and one hook otherwise.
enum PlainOperations {
    /// Takes 120 bytes at most.
    ///
    /// The C library on Linux frees a larger block under the lock of the arena that it came from,
    /// and there the thread that tracks the next operations allocates.
    final class Known {
        let operation: Operation
        var queue: (any PollingQueue)?
        /// Where it stands in the queue.
        var ticket: TaskQueueTicket?
        /// Whether the queue starts the operation, and so learns of its finish.
        ///
        /// Stands here because the ticket leaves 3 of its 16 bytes.
        var isStartedByQueue = false
        /// Whether a cancellation that has begun bars the operation from `main()`.
        var isBarred = false
        var audience = FinishAudience()
        /// Tells that what the operation waits for in its queue has finished.
        var dependencies: OperationsEnd?
        var hook: FinishHook?

        init(_ operation: Operation) {
            self.operation = operation
        }

        /// Makes the hook that tells of the finish, unless there is one or the queue tells; the
        /// caller begins the watch.
        func hookToWatch() -> FinishHook? {
            guard hook == nil, !isStartedByQueue else { return nil }
            let hook = FinishHook { [operation] in PlainOperations.heardFinish(of: operation) }
            self.hook = hook
            return hook
        }
    }

    private struct Table {
        var known: [ObjectIdentifier: Known] = [:]

        mutating func entry(of operation: Operation) -> Known {
            let id = ObjectIdentifier(operation)
            if let entry = known[id] { return entry }
            let entry = Known(operation)
            known[id] = entry
            return entry
        }

        /// Forgets an operation that is not asked about any more; returns the hook to be detached.
        mutating func forgetIfUnused(_ entry: Known) -> FinishHook? {
            guard entry.queue == nil, entry.audience.isEmpty() else { return nil }
            known[ObjectIdentifier(entry.operation)] = nil
            return entry.hook
        }
    }

    private final class Shard: Sendable {
        let table = Guarded(Table())
    }

    /// Several tables: a thread that tracks operations and one that ends others seldom meet.
    private static let shards = (0..<shardCount).map { _ in Shard() }
    private static let shardCount = 16
    private static let numbers = Guarded(PlainNumbers())

    /// Asks the table that an operation is in.
    @inline(__always)
    private static func withTable<Result>(
        of operation: Operation,
        _ body: (inout sending Table) -> sending Result
    ) -> sending Result {
        // Blocks of memory begin at multiples of 16.
        let shard = Int(bitPattern: Unmanaged.passUnretained(operation).toOpaque()) >> 4
        return shards[shard & (shardCount - 1)].table.withLock(body)
    }

    /// Asks what is known of an operation, or changes it; nil if nothing is known.
    @inline(__always)
    static func withKnown<Result: Sendable>(
        _ operation: Operation,
        _ body: @Sendable (Known) -> Result?
    ) -> Result? {
        withTable(of: operation) { $0.known[ObjectIdentifier(operation)].flatMap(body) }
    }

    // MARK: Queues

    static func enter(
        _ operation: Operation,
        _ queue: any PollingQueue,
        startsIt: Bool,
        _ listener: OperationListener?
    ) -> QueueEntry {
        guard !operation.isFinished, !operation.isExecuting else {
            let isHeard = listener.map { add($0, to: operation) } ?? !operation.isFinished
            return QueueEntry(standsElsewhere: false, hasStarted: true, hasFinished: !isHeard)
        }
        let standsElsewhere = withTable(of: operation) { table in
            let entry = table.entry(of: operation)
            guard entry.queue == nil else { return true }
            entry.queue = queue
            entry.isStartedByQueue = startsIt
            if let listener { entry.audience.add(listener) }
            return false
        }
        return QueueEntry(standsElsewhere: standsElsewhere, hasStarted: false, hasFinished: false)
    }

    static func leave(_ queue: any PollingQueue, _ operation: Operation) {
        let (dependencies, hook) = withTable(of: operation) {
            table -> (OperationsEnd?, FinishHook?) in
            guard let entry = table.known[ObjectIdentifier(operation)], entry.queue === queue else {
                return (nil, nil)
            }
            entry.queue = nil
            return (entry.dependencies.take(), table.forgetIfUnused(entry))
        }
        _ = hook?.detach()
        withExtendedLifetime(dependencies) {}
    }

    /// The operation has its place in its queue; returns false if it has finished, so that the
    /// caller takes it out again.
    static func placed(_ operation: Operation, at ticket: TaskQueueTicket) -> Bool {
        withTable(of: operation) { table in
            guard let entry = table.known[ObjectIdentifier(operation)] else { return false }
            entry.ticket = ticket
            return true
        }
    }

    /// Keeps what the operation waits for, until it has finished.
    static func keep(_ dependencies: OperationsEnd, of operation: Operation) {
        let replaced = withKnown(operation) { known in
            exchange(&known.dependencies, with: dependencies)
        }
        withExtendedLifetime(replaced) {}
    }

    /// The queue has started the operation, which goes on: its finish comes from elsewhere.
    static func startReturned(_ operation: Operation) {
        let hook = withKnown(operation) { known in
            known.isStartedByQueue = false
            return known.hookToWatch()
        }
        hook?.watch(operation)
    }

    /// A cancellation has begun that will reach the operation.
    static func bar(_ operation: Operation) {
        withKnown(operation) { $0.isBarred = true }
    }

    // MARK: Listeners and dependents

    static func add(_ listener: OperationListener, to operation: Operation) -> Bool {
        change(operation, unless: listener.listening != .notYet) { $0.add(listener) }
    }

    static func add(_ dependent: DependencyEdge, to operation: Operation) -> Bool {
        change(operation, unless: dependent.hasLeft) { $0.add(dependent) }
    }

    /// Adds to what hears of the finish, unless that is over; returns false if the operation has
    /// finished.
    private static func change(
        _ operation: Operation,
        unless isOver: @autoclosure () -> Bool,
        _ add: (inout FinishAudience) -> Void
    ) -> Bool {
        guard !operation.isFinished else { return false }
        let hook = withTable(of: operation) { table -> FinishHook? in
            guard !isOver() else { return nil }
            let entry = table.entry(of: operation)
            add(&entry.audience)
            return entry.hookToWatch()
        }
        hook?.watch(operation)
        return true
    }

    /// Removes from what hears of the finish, and forgets an operation of which nothing hears.
    static func remove<Element: Sendable>(
        from operation: Operation,
        _ remove: (inout FinishAudience) -> [Element]
    ) {
        let (released, hook) = withTable(of: operation) { table -> ([Element], FinishHook?) in
            guard let entry = table.known[ObjectIdentifier(operation)] else {
                // A listener may be removed before it is added.
                var unknown = FinishAudience()
                return (remove(&unknown), nil)
            }
            return (remove(&entry.audience), table.forgetIfUnused(entry))
        }
        _ = hook?.detach()
        withExtendedLifetime(released) {}
    }

    /// Has an operation run inside a context if it stands in a queue of JobKit's.
    ///
    /// Another one would be retained for it, perhaps for ever: it may never be started.
    static func keep(_ context: KeptContext, for operation: Operation) {
        let hook = withKnown(operation) { known -> FinishHook? in
            guard known.queue != nil else { return nil }
            known.audience.add(context)
            return known.hookToWatch()
        }
        hook?.watch(operation)
    }

    // MARK: The finish

    /// Takes out what a finished operation leaves; nil if that was taken before, or if it is
    /// unknown.
    static func close(_ operation: Operation) -> PlainFinish? {
        withTable(of: operation) { table in
            let id = ObjectIdentifier(operation)
            guard let entry = table.known.removeValue(forKey: id) else { return nil }
            return PlainFinish(
                operation: operation,
                queue: entry.queue,
                ticket: entry.ticket,
                listeners: entry.audience.listeners,
                dependents: entry.audience.others.read { $0.dependents.elements } ?? [],
                dependencies: entry.dependencies,
                hook: entry.hook
            )
        }
    }

    /// The operation has finished, on this thread or before.
    ///
    /// Where JobKit starts it on this thread, that code goes on itself when `start()` has returned.
    static func heardFinish(of operation: Operation) {
        guard !ThreadContext.current.pointee.frame.isOf(operation) else { return }
        close(operation)?.tellElsewhere()
    }

    // MARK: Numbers

    /// The operation's number in events, as long as it lives.
    static func number(of operation: Operation) -> Int {
        let (number, isCrowded) = numbers.withLock { $0.number(of: operation) }
        // Elsewhere: the caller may hold a job's lock, and what is freed meanwhile is a user's.
        if isCrowded {
            DispatchQueue.global()
                .async {
                    let kept = numbers.withLock { $0.removeFreed() }
                    withExtendedLifetime(kept) {}
                }
        }
        return number
    }
}
