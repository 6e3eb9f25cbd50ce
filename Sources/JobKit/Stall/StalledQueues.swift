import Foundation

/// What the queues of a stalled job's tasks are doing; each is asked once, however many wait in it.
struct StalledQueues {
    private struct Queue {
        let name: String
        let isSuspended: Bool
        let isFull: Bool
        /// The first of those that execute, where that is of interest.
        let executing: [Operation]
        let executingCount: Int
        /// Ready, but behind a barrier.
        let parked: Set<ObjectIdentifier>

        init(_ queue: TaskQueueShell) {
            let stall = queue.ask { $0.machine.stall(naming: OperationNames.limit) }
            name = queue.name
            isSuspended = stall.isSuspended
            isFull = stall.isFull
            executing = stall.executing.filter { !$0.isFinished }
            executingCount = stall.executingCount - stall.executing.count + executing.count
            parked = Set(stall.parked.map { ObjectIdentifier($0) })
        }

        init(_ queue: OperationQueue) {
            let width = queue.maxConcurrentOperationCount
            name = queue.name ?? "OperationQueue"
            isSuspended = queue.isSuspended
            // Foundation gives all of them at once or none.
            let isLimited = width != OperationQueue.defaultMaxConcurrentOperationCount
            executing =
                isLimited && !isSuspended ? queue.operations.filter(\.isExecuting) : []
            executingCount = executing.count
            isFull = isLimited && executing.count >= width
            parked = []
        }

        func reasonNotToStart(_ task: Operation, of job: JobController?, isReady: Bool) -> String {
            guard isReady else { return "\(StallWords.unready), in \(name)" }
            if isSuspended { return "suspended: \(name)" }
            let isParked = parked.contains(ObjectIdentifier(task))
            guard isParked || isFull else { return "ready in \(name)" }
            let names =
                executing.isEmpty
                ? "nothing"
                : OperationNames.list(executing, of: executingCount) { operation in
                    let name = operationLabel(operation)
                    return operation === job ? "its own job \(name)" : name
                }
            let verb = executingCount > 1 ? "execute" : "executes"
            return "\(isParked ? "waits for a barrier" : "full"): \(name), where \(names) \(verb)"
        }
    }

    private var queues: [ObjectIdentifier: Queue] = [:]

    /// Why an operation has not been started.
    ///
    /// - Parameters:
    ///   - task: The operation, which waits for no other.
    ///   - job: The job that tracks it.
    ///   - queue: A `TaskQueueShell` or an `OperationQueue`.
    ///   - isReady: Whether the operation itself says that it is ready.
    /// - Returns: The reason; nil for a queue of another kind.
    mutating func reasonNotToStart(
        _ task: Operation,
        of job: JobController?,
        in queue: AnyObject,
        isReady: Bool
    ) -> String? {
        let known =
            queues[ObjectIdentifier(queue)] ?? (queue as? TaskQueueShell).map(Queue.init)
            ?? (queue as? OperationQueue).map(Queue.init)
        queues[ObjectIdentifier(queue)] = known
        return known?.reasonNotToStart(task, of: job, isReady: isReady)
    }
}
