import Foundation
import Synchronization

/// Reporting progress. A job counts its weights always, and reports only where somebody asked.
extension JobShell {
    /// Has this job, and the jobs nested in it, report from now on.
    func reportProgress() {
        var remaining = [self]
        var found: [JobShell] = []
        while let shell = remaining.popLast() {
            guard shell.traits.insert(.progress) else {
                continue
            }
            found.append(shell)
            remaining += shell.openTasks.compactMap { ($0.task as? JobController)?.shell }
        }
        // The inner ones first, so that each asks its tasks once.
        for shell in found.reversed() {
            for (record, task) in shell.openTasks { _ = shell.takeFraction(of: task, record) }
        }
        progressChanged()
    }

    private var openTasks: [(record: TaskRecord, task: Operation)] {
        send { state in
            state.tasks.records.compactMap { record in record.task.map { (record, $0) } }
        }
    }

    /// A task is tracked now, and this job has subscribed to it: it may have advanced before.
    func passOnProgress(of task: Operation, _ record: TaskRecord) {
        guard traits.contains(.progress) else { return }
        (task as? JobController)?.shell.reportProgress()
        if takeFraction(of: task, record) { progressChanged() }
    }

    /// Asks a task how far it is; returns whether that is further than was known.
    private func takeFraction(of task: Operation, _ record: TaskRecord) -> Bool {
        guard let operation = task as? ConcurrentOperation else { return false }
        let nested = (task as? JobController)?.shell
        let fraction =
            operation.reportedFraction.value ?? nested?.send { $0.tally.fraction }
        return fraction.map { taskAdvanced(record, to: $0) } ?? false
    }

    // MARK: Advancing

    /// A task was delivered or has advanced: advances the progress of this job and of those above.
    func progressChanged() {
        guard traits.contains(.progress) else { return }
        let (job, fraction) = send { ($0.owner.started, $0.tally.fraction) }
        // A job that says its fraction itself has said it to those above too.
        guard let job, job.reportedFraction.value == nil else { return }
        Self.advance(job, to: fraction)
    }

    /// The job has succeeded.
    func progressCompleted(of job: JobController) {
        guard traits.contains(.progress) else { return }
        Self.advance(job, to: 1)
    }

    /// An operation, which may be a job, says how much of its work is done.
    static func operation(_ operation: ConcurrentOperation, hasReported fraction: Double) {
        // A job is below 1 until it has finished, whatever it says.
        let limit = operation is JobController ? 1.0.nextDown : 1
        advance(operation, to: min(fraction, limit))
    }

    private static func advance(_ operation: ConcurrentOperation, to fraction: Double) {
        var remaining = [(operation: operation, fraction: fraction)]
        while let (operation, fraction) = remaining.popLast() {
            if let job = operation as? JobController {
                job.shell.send { $0.progress }?.advance(to: fraction)
            }
            for record in TaskRecord.tracking(operation) {
                let parent = record.shell
                guard parent.taskAdvanced(record, to: fraction) else { continue }
                let (above, raised) = parent.send { ($0.owner.started, $0.tally.fraction) }
                guard let above, above.reportedFraction.value == nil else { continue }
                remaining.append((above, raised))
            }
        }
    }

    /// Counts how far a task is; returns whether that is further than before, and of interest.
    private func taskAdvanced(_ record: TaskRecord, to fraction: Double) -> Bool {
        guard traits.contains(.progress) else { return false }
        return send { $0.taskAdvanced(record, to: fraction) }
    }
}
