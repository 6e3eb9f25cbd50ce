import Foundation

/// The reasons why a queue starts no operations, read once for any number of operations.
struct QueueStall {
    private let name: String
    private let isSuspended: Bool
    private let isFull: Bool
    /// The executing operations, if they matter.
    private let executing: [Operation]
    /// The ready operations behind a barrier.
    private let blocked: Set<ObjectIdentifier>

    init(_ queue: TaskQueueShell) {
        let (started, blocked): ([Operation], [Operation])
        (isSuspended, isFull, started, blocked) = queue.ask { state in
            let machine = state.machine
            let isStalled = !machine.isSuspended && (machine.isFull || machine.hasBarrier)
            return (
                machine.isSuspended, machine.isFull,
                isStalled ? machine.entries { $0.state == .executing } : [],
                isStalled ? machine.entries { $0.state == .blocked } : []
            )
        }
        name = queue.name
        executing = started.filter { !$0.isFinished }
        self.blocked = Set(blocked.map { ObjectIdentifier($0) })
    }

    init(_ queue: OperationQueue) {
        let limit = queue.maxConcurrentOperationCount
        name = queue.name ?? "OperationQueue"
        isSuspended = queue.isSuspended
        // Foundation returns either all operations or none.
        let isLimited = limit != OperationQueue.defaultMaxConcurrentOperationCount
        executing = isLimited && !isSuspended ? queue.operations.filter(\.isExecuting) : []
        isFull = isLimited && executing.count >= limit
        blocked = []
    }

    /// Why an operation of the queue has not been started.
    func reason(_ operation: Operation) -> String? {
        if let reason = operation.reasonNotReady {
            return reason == StallWords.unready ? "\(reason), in \(name)" : reason
        }
        if isSuspended { return "suspended: \(name)" }
        let isBlocked = blocked.contains(ObjectIdentifier(operation))
        guard isBlocked || isFull else { return "ready in \(name)" }
        let jobs = operation.waitingJobs
        let names =
            executing.isEmpty
            ? "nothing"
            : OperationName.list(executing) { other in
                let name = operationLabel(other)
                return jobs.contains { $0 === other } ? "its own job \(name)" : name
            }
        let verb = executing.count > 1 ? "execute" : "executes"
        return "\(isBlocked ? "waits for a barrier" : "full"): \(name), where \(names) \(verb)"
    }
}

extension Operation {
    /// The reason why the operation is not ready, or nil if it is ready.
    var reasonNotReady: String? {
        let unfinished = dependencies.filter { !$0.isFinished }
        // A cancelled operation does not wait for its dependencies.
        guard unfinished.isEmpty || isCancelled else {
            return "waits for " + OperationName.list(unfinished)
        }
        return unfinished.isEmpty && !isReady ? StallWords.unready : nil
    }
}
