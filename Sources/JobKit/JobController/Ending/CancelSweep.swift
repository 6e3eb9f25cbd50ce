import Foundation

/// Cancels the tasks of jobs depth first, without recursion: ten thousand jobs may be nested.
///
/// While a sweep cancels a nested job, that job's `cancel()` leaves its tasks to the sweep, which
/// goes on with them next.
final class CancelSweep {
    /// The tasks to cancel, the last first; nil stands for the end of a job's sweep.
    private var work: [(record: TaskRecord?, shell: JobShell)] = []
    /// Whether another thread's sweep goes through the same tasks, and will end the jobs' sweeps.
    private let isHelp: Bool
    /// The operation whose `cancel()` the sweep is calling.
    private var target: ObjectIdentifier?

    static func cancelAll(_ records: [TaskRecord], of shell: JobShell, for job: JobController) {
        let context = ThreadContext.current
        if let sweep = context.pointee.sweep as? CancelSweep, sweep.target == ObjectIdentifier(job)
        {
            return sweep.add(records, of: shell)
        }
        CancelSweep(isHelp: false).run(records, of: shell, in: context)
    }

    /// Cancels tasks beside another thread.
    ///
    /// Does nothing if this thread is already inside a sweep that called the asking code.
    static func help(_ records: [TaskRecord], of shell: JobShell, for job: JobController) {
        let context = ThreadContext.current
        guard let sweep = context.pointee.sweep as? CancelSweep else {
            return CancelSweep(isHelp: true).run(records, of: shell, in: context)
        }
        guard sweep.isHelp, sweep.target == ObjectIdentifier(job) else { return }
        sweep.add(records, of: shell, endsSweep: false)
    }

    private init(isHelp: Bool) {
        self.isHelp = isHelp
    }

    private func run(
        _ records: [TaskRecord],
        of shell: JobShell,
        in context: UnsafeMutablePointer<ThreadContext>
    ) {
        let outer = context.pointee.sweep
        context.pointee.sweep = self
        add(records, of: shell, endsSweep: !isHelp)
        run()
        context.pointee.sweep = outer
    }

    private func add(_ records: [TaskRecord], of shell: JobShell, endsSweep: Bool = true) {
        if endsSweep { work.append((nil, shell)) }
        work += records.reversed().map { ($0, shell) }
    }

    private func run() {
        while let (record, shell) = work.popLast() {
            if let record {
                Self.cancel(record, of: shell) { self.target = $0 }
            } else {
                shell.tasksCancelled()
            }
        }
    }

    /// Cancels one task on the terms on which it is tracked, and stops waiting for it where the job
    /// need not wait.
    static func cancel(
        _ record: TaskRecord,
        of shell: JobShell,
        targeting: (ObjectIdentifier?) -> Void = { _ in }
    ) {
        let isLeft = leaves(record, of: shell)
        // Before it may go into its queue.
        if isLeft { shell.keepContext(of: record) }
        let (withdrawal, found) = shell.send {
            ($0.admission.withdraw(record, isLeft: isLeft), record.task)
        }
        guard let task = found else { return }
        guard !isLeft else { return shell.leave(record, task) }
        targeting(ObjectIdentifier(task))
        task.cancelInQueue()
        targeting(nil)
        let isWaitedFor =
            record.terms.cancellation != .cancelWithoutWaiting
            && task.mayRunAfterCancel(wasQueued: withdrawal.wasQueued)
        if !isWaitedFor { shell.stopWaiting(for: record) }
        if withdrawal.mustStart { task.startCancelled() }
    }

    /// Whether an ending job leaves a task to itself, or to other jobs.
    static func leaves(_ record: TaskRecord, of shell: JobShell) -> Bool {
        record.terms.cancellation == .leaveRunning || shell.sharesTask(of: record)
    }
}
