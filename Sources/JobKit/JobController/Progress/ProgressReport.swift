import Foundation

/// Reports how far a job is: to its own `Progress`, and to the jobs above it.
///
/// A job counts its weights always, and reports only where its progress was asked for.
struct ProgressReport {
    let shell: JobShell

    init(of shell: JobShell) { self.shell = shell }

    /// Has this job, and the jobs nested in it, report from now on.
    func begin() {
        var remaining = [shell]
        var found: [JobShell] = []
        while let shell = remaining.popLast() {
            // A task that begins to report sets `ownFractions` and then reads `progress`, so that
            // one of the two threads sees the other.
            guard shell.features.insert(.progress), shell.features.contains(.ownFractions) else {
                continue
            }
            found.append(shell)
            remaining += shell.tasks.compactMap { ($0 as? JobController)?.shell }
        }
        // The inner ones first, so that each asks its tasks once.
        for shell in found.reversed() {
            let records = shell.ask { state in
                state.tasks.records.compactMap { record in record.task.map { (record, $0) } }
            }
            for (record, task) in records { _ = Self.takeFraction(of: task, record) }
        }
        taskAdvanced()
    }

    /// A task is tracked, and the job listens to it: it may have advanced before.
    @inline(__always)
    func taskTracked(_ task: Operation, _ record: TaskRecord) {
        if record.isConcurrent,
            unsafeDowncast(task, to: ConcurrentOperation.self).reportedFraction.isSaid
        {
            shell.features.insert(.ownFractions)
        }
        if shell.features.contains(.progress) { askTracked(task, record) }
    }

    @inline(never)
    private func askTracked(_ task: Operation, _ record: TaskRecord) {
        if let job = task as? JobController { ProgressReport(of: job.shell).begin() }
        if Self.takeFraction(of: task, record) { taskAdvanced() }
    }

    /// A task was delivered or has advanced: advances the progress of this job and of those above.
    @inline(__always)
    func taskAdvanced() {
        if shell.features.contains(.progress) { advance() }
    }

    @inline(never)
    private func advance() {
        let (job, fraction) = shell.ask { ($0.owner.started, $0.tally.fraction) }
        // A job that says its fraction itself has said it to those above too.
        guard let job, job.reportedFraction.value == nil else { return }
        Self.advance(job, to: fraction)
    }

    /// The job has succeeded.
    func jobSucceeded(_ job: JobController) {
        if shell.features.contains(.progress) { Self.advance(job, to: 1) }
    }

    /// An operation, which may be a job, says how much of its work is done.
    static func operation(_ operation: ConcurrentOperation, hasReported fraction: Double) {
        for record in TaskRecord.tracking(operation) { record.shell.features.insert(.ownFractions) }
        advance(operation, to: said(fraction, by: operation))
    }

    /// A reported fraction as it counts: a job is below 1 until it has finished.
    private static func said(_ fraction: Double, by operation: ConcurrentOperation) -> Double {
        operation is JobController ? min(fraction, 1.0.nextDown) : fraction
    }

    /// How far an operation is, as its `progress` says or would say.
    static func fraction(of operation: Operation) -> Double {
        guard let operation = operation as? ConcurrentOperation else { return 0 }
        guard let job = operation as? JobController else {
            return operation.reportedFraction.value ?? 0
        }
        let shell = job.shell
        if shell.features.contains(.ownFractions) { ProgressReport(of: shell).begin() }
        let (reporter, counted) = shell.ask { ($0.progress, $0.tally.fraction) }
        let fraction = job.reportedFraction.value.map { said($0, by: job) } ?? counted
        guard let reporter else { return shell.shownFraction.raised(to: fraction) }
        reporter.advance(to: fraction)
        return reporter.progress.fractionCompleted
    }

    // MARK: Up the tree

    private static func advance(_ operation: ConcurrentOperation, to fraction: Double) {
        var remaining = [(operation: operation, fraction: fraction)]
        while let (operation, fraction) = remaining.popLast() {
            if let job = operation as? JobController {
                job.shell.ask { $0.progress }?.advance(to: fraction)
            }
            for record in TaskRecord.tracking(operation) where note(record, is: fraction) {
                let (above, raised) = record.shell.ask { ($0.owner.started, $0.tally.fraction) }
                guard let above, above.reportedFraction.value == nil else { continue }
                remaining.append((above, raised))
            }
        }
    }

    /// Asks a task how far it is; returns whether that is further than was known.
    private static func takeFraction(of task: Operation, _ record: TaskRecord) -> Bool {
        guard let operation = task as? ConcurrentOperation else { return false }
        let nested = (task as? JobController)?.shell
        let fraction = operation.reportedFraction.value ?? nested?.ask { $0.tally.fraction }
        return fraction.map { note(record, is: said($0, by: operation)) } ?? false
    }

    /// Notes how far a task is; returns whether it has advanced, and its job reports that.
    private static func note(_ record: TaskRecord, is fraction: Double) -> Bool {
        record.shell.features.contains(.progress)
            && record.shell.send { $0.taskAdvanced(record, to: fraction) }
    }
}
