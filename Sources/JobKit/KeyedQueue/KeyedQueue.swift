import Foundation

/// Never runs two operations of one key at once, and passes each on to another queue.
///
/// ```swift
/// let uploads = KeyedQueue<Account.ID>(maxConcurrentOperationCount: 4)
/// uploads.addOperation(Upload(photo), keys: [account.id])    // one at a time for each account
/// ```
///
/// An operation waits until it is ready and a permit of each of its keys is free. It is then passed
/// on to the queue below, and holds its keys until it has finished or was abandoned. The code of an
/// abandoned operation may still run. While an operation waits, it holds no key, no thread and no
/// permit of the queue below.
///
/// Operations start by `queuePriority`, and within a priority in the order added. If an earlier
/// operation waits for a key that a later one also needs, the later one does not overtake it.
///
/// In a job, a view of the queue adds tasks with keys:
///
/// ```swift
/// trackAndQueue(upload, on: uploads.keyed(account.id))
/// ```
///
/// A job that holds keys lends them, and its permit of this queue, to its tasks and their tasks.
/// One task at a time uses each of them. Therefore, a job and its task may have the same key. A
/// task does not wait behind operations that wait for a key of its job, directly or behind others.
///
/// Deadlocks remain possible in two cases. In the first, each of two jobs holds a key that a task
/// of the other needs, directly or through several waiting operations. In the second, a holder
/// waits for a permit of the queue in which a job waits for the holder's key.
/// ``JobController/explainStall(limit:)`` names both sides.
///
/// A ``RetryOperation`` that is added with a key holds it for all its attempts. If only its
/// attempts are added with the key, the key is free between them. A job whose `queue` is a keyed
/// view runs its tasks one at a time.
///
/// The queue may be released while operations wait in it. They are still passed on.
///
/// A key's `==` is called under the queue's lock, so it must not use the queue.
///
/// > Thread: Every member may be used from any thread.
public final class KeyedQueue<Key: Hashable & Sendable>: PassingQueue {
    @usableFromInline let shell: KeyedQueueShell

    /// Creates a queue that passes operations on to another one.
    ///
    /// If you limit the number of operations, limit this queue and not the queue below, because an
    /// operation that was passed on no longer counts as waiting.
    ///
    /// - Parameters:
    ///   - queue: The queue below.
    ///   - name: The queue's name in messages.
    ///   - limitPerKey: How many operations of a key run at a time. A number below 1 traps.
    ///   - maxConcurrentOperationCount: How many operations the queue has passed on at a time.
    ///     `OperationQueue.defaultMaxConcurrentOperationCount` means no limit. Any other number
    ///     below 1 traps.
    public init(
        _ queue: any OperationScheduling = TaskQueue.shared,
        name: String? = nil,
        limitPerKey: Int = 1,
        maxConcurrentOperationCount: Int = TaskQueue.defaultMaxConcurrentOperationCount
    ) {
        let name = name ?? "KeyedQueue"
        guard limitPerKey >= 1 else {
            fatalError("JobKit: limitPerKey of \(name) is \(limitPerKey); it must be at least 1.")
        }
        shell = KeyedQueueShell(
            queue,
            name: name,
            limitPerKey: limitPerKey,
            limit: TaskQueue.limit(maxConcurrentOperationCount, of: name)
        )
    }

    /// How many operations the queue has passed on at a time.
    ///
    /// It may change at any time. `OperationQueue.defaultMaxConcurrentOperationCount`, which is -1,
    /// means no limit. Any other number below 1 traps.
    public var maxConcurrentOperationCount: Int {
        get { shell.ask { $0.limit } }
        set {
            let limit = TaskQueue.limit(newValue, of: name)
            shell.send { $0.limit = limit }
        }
    }

    /// Whether the queue passes no further operations on.
    public var isSuspended: Bool {
        get { shell.ask { $0.isSuspended } }
        set { shell.send { $0.isSuspended = newValue } }
    }

    /// The queue's name in messages, or `KeyedQueue` if no name was given.
    public var name: String { shell.name }

    // MARK: Adding

    /// Adds an operation without keys.
    ///
    /// Traps if the operation is already in a queue of JobKit or was started.
    public func addOperation(_ operation: Operation) {
        add(operation, mayHaveStarted: false)
    }

    /// Adds an operation with keys.
    ///
    /// Traps if the operation is already in a queue of JobKit or was started. With
    /// ``DuplicatePolicy/keep`` and ``DuplicatePolicy/join``, the returned operation may be another
    /// one. Therefore, wait for the returned operation.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - keys: Its keys.
    ///   - duplicates: How to handle other operations in the queue with exactly these keys.
    ///   - queue: The queue to which the operation is passed on, or nil for the queue below.
    /// - Returns: The operation that stays: `operation`, or the one that was already there.
    @inlinable
    @discardableResult
    public func addOperation(
        _ operation: Operation,
        keys: Set<Key>,
        duplicates: DuplicatePolicy = .append,
        on queue: (any OperationScheduling)? = nil
    ) -> Operation {
        shell.add(operation, AnyKey.list(keys), duplicates, on: queue)
    }

    func add(_ operation: Operation, mayHaveStarted: Bool) {
        _ = shell.add(operation, mayHaveStarted: mayHaveStarted)
    }

    /// Returns a view of this queue that adds every operation with these keys.
    public func keyed(
        _ keys: Key...,
        duplicates: DuplicatePolicy = .append
    ) -> any OperationScheduling {
        keyed(Set(keys), duplicates: duplicates)
    }

    /// Returns a view of this queue that adds every operation with these keys.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - duplicates: How to handle other operations in the queue with exactly these keys.
    ///   - queue: The queue to which operations are passed on, or nil for the queue below.
    /// - Returns: The view. It keeps this queue in memory.
    public func keyed(
        _ keys: Set<Key>,
        duplicates: DuplicatePolicy = .append,
        on queue: (any OperationScheduling)? = nil
    ) -> any OperationScheduling {
        KeyedView(of: shell, keys: AnyKey.list(keys), duplicates, on: queue ?? queueBelow)
    }

    var queueBelow: any OperationScheduling { shell.queueBelow }

    /// Returns why an operation that waits here, or in the queue below, has not been started.
    public func reasonNotStarted(_ operation: Operation) -> String? {
        shell.reason(operation, below: queueBelow)
    }

    // MARK: Operations

    /// How many operations wait, or were passed on and have not finished.
    public var operationCount: Int { shell.ask { $0.count } }

    /// The operations of a key: those that were passed on, in that order, then those that wait.
    public func operations(for key: Key) -> [Operation] {
        let key = AnyKey(key)
        return shell.ask { machine in
            machine.entries(with: key).compactMap { machine.slots[$0.slot].entry?.operation }
        }
    }

    /// Cancels all operations of a key, both waiting and passed on.
    ///
    /// After this call, no operation of the key that was waiting enters `main()`.
    public func cancelOperations(for key: Key) {
        shell.cancelAll(of: AnyKey(key))
    }

    /// Cancels all operations, both waiting and passed on.
    ///
    /// After this call, no operation that was waiting enters `main()`.
    public func cancelAllOperations() {
        shell.cancelAll()
    }

    /// Waits until no operation is left.
    ///
    /// Returns at once if there is none.
    ///
    /// This method blocks no thread. It also waits for operations that are added in the meantime. A
    /// cancelled Swift task continues to wait, and cancels no operation.
    public func waitForAllOperations() async {
        await shell.waitUntilIdle()
    }
}
