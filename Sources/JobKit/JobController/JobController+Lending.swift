import Foundation

/// Lets queues lend the job's permit to its tasks (J12).
///
/// The job lends its permit when it starts (`JobShell`) and when it tracks a task
/// (`JobShell+Tracking`). `JobShell+Delivery` notifies its ``JobPermit`` when the job waits and
/// when it is busy.
extension JobShell {
    /// Lends the job's permit to a newly tracked task that may be in a queue, or have queued
    /// tasks.
    ///
    /// A job that has not been started lends nothing. ``begin(_:mayEnterMain:)`` lends it
    /// later.
    func lendPermit(to task: Operation) {
        if let job = startedJob { TaskQueueShell.lendPermits(of: job, to: [task]) }
        KeyedJobs.changed(above: task)
    }
}
