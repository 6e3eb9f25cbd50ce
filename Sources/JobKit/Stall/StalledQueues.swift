import Foundation

/// What the queues of a stalled job's tasks are doing; each is asked once, however many wait in it.
struct StalledQueues {
    private struct Queue {
        let name: String
        let isSuspended: Bool
        let isFull: Bool
        let executing: [Operation]
        /// Ready, but behind a barrier.
        let parked: Set<ObjectIdentifier>

        init(_ queue: TaskQueueShell) {
            let machine = queue.ask { $0.machine }
            name = queue.name
            isSuspended = machine.isSuspended
            isFull = machine.placesTaken >= machine.width
            executing = machine.slots.filter { $0.state == .executing }
                .sorted { $0.sequence < $1.sequence }
                .compactMap(\.entry).filter { !$0.isFinished }
            parked = Set(
                machine.slots.filter { $0.state == .parked }
                    .compactMap { $0.entry.map(ObjectIdentifier.init) }
            )
        }

        init(_ queue: OperationQueue) {
            let width = queue.maxConcurrentOperationCount
            name = queue.name ?? "OperationQueue"
            isSuspended = queue.isSuspended
            executing = queue.operations.filter(\.isExecuting)
            isFull =
                width != OperationQueue.defaultMaxConcurrentOperationCount
                && executing.count >= width
            parked = []
        }

        func reasonNotToStart(_ task: Operation, of job: JobController?) -> String {
            if isSuspended { return "suspended: \(name)" }
            let isParked = parked.contains(ObjectIdentifier(task))
            guard isParked || isFull else { return "ready in \(name)" }
            let who =
                executing.isEmpty
                ? "nothing"
                : StallWords.list(executing) { operation in
                    let name = operationLabel(operation)
                    return operation === job ? "its own job \(name)" : name
                }
            let verb = executing.count > 1 ? "execute" : "executes"
            return "\(isParked ? "waits for a barrier" : "full"): \(name), where \(who) \(verb)"
        }
    }

    private var queues: [ObjectIdentifier: Queue] = [:]

    /// Why an operation that is ready has not been started.
    mutating func reasonNotToStart(
        _ task: Operation,
        of job: JobController?,
        in queue: TaskQueueShell
    ) -> String {
        known(queue, Queue(queue)).reasonNotToStart(task, of: job)
    }

    /// Why an operation that is ready has not been started.
    mutating func reasonNotToStart(
        _ task: Operation,
        of job: JobController?,
        in queue: OperationQueue
    ) -> String {
        known(queue, Queue(queue)).reasonNotToStart(task, of: job)
    }

    /// What a queue said when it was first asked.
    private mutating func known(_ queue: AnyObject, _ ask: @autoclosure () -> Queue) -> Queue {
        let known = queues[ObjectIdentifier(queue)] ?? ask()
        queues[ObjectIdentifier(queue)] = known
        return known
    }
}
