import Foundation

/// All that jobs know of lending (J12): what the queues ask of them, and when they offer their
/// permits. When a job waits and when it is busy, its ``JobPermit`` hears from `JobShell+Delivery`.
extension JobController: WaitingJob {
    func holdsPermit(in queue: TaskQueueShell) -> Bool { shell.permit.isIn(queue) }

    var onlyWaits: Bool { shell.mailbox.turn.isOpen }

    var hasTasksToLendTo: Bool {
        shell.ask { $0.owner.started != nil && $0.machine.openCount > 0 }
    }

    var tasksToLendTo: [Operation] { shell.tasks }
}

extension TaskRecord: WaitingJobListener {
    var waitingJob: (any WaitingJob)? { shell.startedJob }
}

extension JobShell {
    /// A task that may stand in a queue, or have tasks that do, is tracked now.
    ///
    /// A job that has not been started lends nothing; ``begin(_:mayEnterMain:)`` makes up for it.
    func offerPermit(to task: Operation) {
        if let job = startedJob { TaskQueueShell.offerPermits(of: job, to: [task]) }
    }
}
