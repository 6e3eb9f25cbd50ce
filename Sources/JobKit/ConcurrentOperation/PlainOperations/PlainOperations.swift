import Dispatch
import Foundation
import Synchronization

/// JobKit's state of plain operations.
///
/// A ``ConcurrentOperation`` stores this state itself.
///
/// The state consists of the queue that contains an operation, its listeners and its dependents.
/// The operation is retained until it has finished or nothing waits for it any longer. Therefore,
/// no other operation can have the same address in this time. If a ``TaskQueue`` starts the
/// operation, the queue detects its completion. Otherwise, a hook does. Event numbers are stored
/// separately, and do not retain operations.
enum PlainOperations {
    /// The state of one operation.
    ///
    /// It takes at most 120 bytes.
    ///
    /// On Linux, the C library frees larger blocks under the lock of the arena from which they
    /// came. The thread that tracks the next operations allocates from the same arena.
    final class Entry {
        let operation: Operation
        var hooks = OperationHooks()
        /// The operation's ticket in its queue.
        var ticket: TaskQueueTicket?
        /// Whether the queue starts the operation and therefore detects its completion.
        ///
        /// Declared here because the ticket leaves 3 of its 16 bytes unused.
        var isStartedByQueue = false
        /// Whether a cancellation that has begun bars the operation from `main()`.
        var isBarred = false
        var hook: FinishHook?

        init(_ operation: Operation) {
            self.operation = operation
        }

        /// Creates the hook that detects the completion, unless it exists or the queue detects it.
        ///
        /// The caller must start the hook.
        func hookToWatch() -> FinishHook? {
            guard hook == nil, !isStartedByQueue else { return nil }
            let hook = FinishHook { [operation] in PlainOperations.finishDetected(of: operation) }
            self.hook = hook
            return hook
        }
    }

    /// The states by operation.
    ///
    /// If an operation finishes before its queue has stored its ticket, its state stays until its
    /// listeners were notified, and its permit is released only then. Otherwise, a task that starts
    /// with such a permit could be delivered first (J2).
    private typealias Table = [ObjectIdentifier: Entry]

    private final class Shard: Sendable {
        let table = Guarded<Table>([:])
    }

    /// There are several tables, so that a thread that tracks operations rarely waits for one that
    /// ends them.
    private static let shards = (0..<shardCount).map { _ in Shard() }
    private static let shardCount = 16
    private static let numbers = Guarded(PlainNumbers())

    /// Accesses the table that has an operation.
    private static func withTable<Result>(
        of operation: Operation,
        _ body: (inout sending Table) -> sending Result
    ) -> sending Result {
        // Memory blocks begin at multiples of 16.
        let shard = Int(bitPattern: ObjectIdentifier(operation)) >> 4
        return shards[shard & (shardCount - 1)].table.withLock(body)
    }

    /// Reads or changes the state of an operation.
    ///
    /// Returns nil if there is none.
    static func withEntry<Result: Sendable>(
        _ operation: Operation,
        _ body: @Sendable (Entry) -> Result?
    ) -> Result? {
        withTable(of: operation) { $0[ObjectIdentifier(operation)].flatMap(body) }
    }

    /// Reads or changes the hooks of an operation.
    static func withHooks<Result: Sendable>(
        of operation: Operation,
        _ body: (inout OperationHooks) -> Result
    ) -> Result {
        change(operation) { body(&$0.hooks) }
    }

    /// Changes the state of an operation, which is stored unless it is empty then.
    ///
    /// Starts the hook that detects the completion, or detaches it if it is not needed any longer.
    private static func change<Result: Sendable>(
        _ operation: Operation,
        _ body: (Entry) -> Result
    ) -> Result {
        let id = ObjectIdentifier(operation)
        let (result, isNeeded, hook, dependencies) = withTable(of: operation) { table in
            let known = table[id]
            let entry = known ?? Entry(operation)
            let result = body(entry)
            let isNeeded = entry.hooks.isClosed || !entry.hooks.isEmpty
            if isNeeded != (known != nil) { table[id] = isNeeded ? entry : nil }
            return (
                result, isNeeded, isNeeded ? entry.hookToWatch() : entry.hook,
                entry.hooks.queue == nil ? entry.hooks.takeDependencies() : []
            )
        }
        if isNeeded { hook?.watch(operation) } else { _ = hook?.detach() }
        OperationDependencies.leave(dependencies)
        return result
    }

    // MARK: Queues

    static func enter(
        _ operation: Operation,
        _ queue: any ContainingQueue,
        startsIt: Bool,
        _ listener: OperationListener?
    ) -> QueueEntry {
        guard !operation.isFinished, !operation.isExecuting else {
            let isHeard = listener.map(operation.addListener) ?? !operation.isFinished
            return QueueEntry(isElsewhere: false, hasStarted: true, hasFinished: !isHeard)
        }
        let isElsewhere = change(operation) { entry in
            let isElsewhere = entry.hooks.enter(queue, listener).isElsewhere
            if !isElsewhere { entry.isStartedByQueue = startsIt }
            return isElsewhere
        }
        return QueueEntry(isElsewhere: isElsewhere, hasStarted: false, hasFinished: false)
    }

    /// Stores the ticket of an operation that was added to its queue.
    ///
    /// - Returns: False if the operation has finished and its listeners were notified, so that the
    ///   caller must remove it again.
    static func placed(_ operation: Operation, at ticket: TaskQueueTicket) -> Bool {
        withEntry(operation) { $0.ticket = ticket } != nil
    }

    /// The listeners of an operation were notified that had no ticket when it finished.
    ///
    /// - Returns: The ticket that it was given in the meantime.
    static func finishNotified(of operation: Operation) -> TaskQueueTicket? {
        withTable(of: operation) { $0.removeValue(forKey: ObjectIdentifier(operation))?.ticket }
    }

    /// Calls a closure when other operations have finished, unless the operation finishes or leaves
    /// its queue before.
    static func wait(
        _ operation: Operation,
        for others: [Operation],
        then body: @escaping @Sendable () -> Void
    ) {
        var new = OperationDependencies(body)
        // Prevents the closure from being called before all edges are registered.
        let last = DependencyEdge(new.unfinished)
        let edges = others.map { ($0, new.insert($0)) }
        let former = change(operation) { [new] entry in
            let former = entry.hooks.takeDependencies()
            entry.hooks.dependencies = Rare(new)
            return former
        }
        OperationDependencies.leave(former)
        for (other, edge) in edges { edge?.register(with: other) }
        last.end()
    }

    /// Detects the completion with a hook, because `start()` has returned and the operation
    /// continues on another thread.
    static func startReturned(_ operation: Operation) {
        change(operation) { $0.isStartedByQueue = false }
    }

    /// Bars an operation, because a cancellation has begun that will reach it.
    static func bar(_ operation: Operation) {
        withEntry(operation) { $0.isBarred = true }
    }

    // MARK: The finish

    /// Removes and returns the state of a finished operation.
    ///
    /// If the operation has no ticket yet, ``finishNotified(of:)`` must follow.
    ///
    /// - Returns: Nil if the state was taken before, or if there is none.
    static func close(_ operation: Operation) -> PlainFinish? {
        withTable(of: operation) { table in
            let id = ObjectIdentifier(operation)
            guard let entry = table[id], !entry.hooks.isClosed else { return nil }
            let (queue, subscribers) = entry.hooks.close(takesQueue: true)
            if queue == nil || entry.ticket != nil { table[id] = nil }
            return PlainFinish(
                operation: operation,
                queue: queue,
                ticket: entry.ticket,
                subscribers: subscribers,
                dependencies: entry.hooks.takeDependencies(),
                hook: entry.hook
            )
        }
    }

    /// Handles the completion of an operation, on this thread or at an earlier time.
    ///
    /// If JobKit is starting the operation on this thread, the starting code does this itself after
    /// `start()` has returned.
    static func finishDetected(of operation: Operation) {
        guard !ThreadContext.current.pointee.frame.isOf(operation) else { return }
        close(operation)?.notifyElsewhere()
    }

    // MARK: Numbers

    /// The operation's event number, which is kept as long as the operation exists.
    static func number(of operation: Operation) -> Int {
        let (number, needsCompaction) = numbers.withLock { $0.number(of: operation) }
        // On another thread, because the caller may hold a job's lock and the freed objects may be
        // a user's. Therefore, this thread must never hold a reference to them.
        if needsCompaction {
            DispatchQueue.global()
                .async {
                    let kept = numbers.withLock { $0.removeFreed() }
                    withExtendedLifetime(kept) {}
                }
        }
        return number
    }
}
