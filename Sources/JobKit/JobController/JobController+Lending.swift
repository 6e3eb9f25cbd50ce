import Foundation

/// What queues ask of a job for lending (J12), and how it offers its permit.
///
/// It offers when it starts (`JobShell`) and when it tracks a task (`JobShell+Tracking`). Its
/// ``JobPermit`` hears from `JobShell+Delivery` when the job waits and when it is busy.
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

    var knownJob: (any WaitingJob)? { shell.ask { $0.owner.known } }
}

extension JobShell {
    /// A task that may stand in a queue, or have tasks that do, is tracked now.
    ///
    /// A job that has not been started lends nothing; ``begin(_:mayEnterMain:)`` makes up for it.
    func offerPermit(to task: Operation) {
        if let job = startedJob { TaskQueueShell.offerPermits(of: job, to: [task]) }
        if KeyedJobs.exist { KeyedJobs.changed(above: task) }
    }
}
