import Foundation

/// Reports a job's fraction to its own `Progress` and to its ancestors.
///
/// A job always counts its weights, but reports only after its progress was read.
extension JobShell {
    /// Makes this job and its nested jobs report from now on.
    func beginProgress() {
        var remaining = [self]
        var found: [JobShell] = []
        while let shell = remaining.popLast() {
            // A task that begins to report sets `ownFractions` and then reads `progress`.
            // Therefore, at least one of the two threads sees the flag of the other.
            guard shell.features.insert(.progress), shell.features.contains(.ownFractions) else {
                continue
            }
            found.append(shell)
            remaining += shell.tasks.compactMap { ($0 as? JobController)?.shell }
        }
        // Inner jobs come first, so that each job reads the fractions of its tasks only once.
        for shell in found.reversed() {
            for (record, task) in shell.ask({ $0.entries }) {
                _ = Self.takeFraction(of: task, record)
            }
        }
        progressAdvances()
    }

    /// Takes the fraction of a newly tracked task, which may have advanced before.
    @inline(__always)
    func progressTracks(_ task: Operation, _ record: TaskRecord) {
        if record.isConcurrent,
            unsafeDowncast(task, to: ConcurrentOperation.self).reportedFraction.isReported
        {
            features.insert(.ownFractions)
        }
        if features.contains(.progress) { askTracked(task, record) }
    }

    @inline(never)
    private func askTracked(_ task: Operation, _ record: TaskRecord) {
        if let job = task as? JobController { job.shell.beginProgress() }
        if Self.takeFraction(of: task, record) { progressAdvances() }
    }

    /// Advances the progress of this job and its ancestors after a task was delivered or advanced.
    @inline(__always)
    func progressAdvances() {
        if features.contains(.progress) { advance() }
    }

    @inline(never)
    private func advance() {
        let (job, fraction) = ask { $0.jobAndFraction }
        // A job that reports its own fraction has already reported it to its ancestors.
        guard let job, job.reportedFraction.value == nil else { return }
        Self.advance(job, to: fraction)
    }

    /// Completes the progress, because the job has succeeded.
    func progressSucceeds(_ job: JobController) {
        if features.contains(.progress) { Self.advance(job, to: 1) }
    }

    /// Passes on the fraction that an operation, which may be a job, reports about itself.
    static func progress(of operation: ConcurrentOperation, isReported fraction: Double) {
        for record in TaskRecord.tracking(operation) { record.shell.features.insert(.ownFractions) }
        advance(operation, to: said(fraction, by: operation))
    }

    /// Adjusts a reported fraction: a job stays below 1 until it has finished.
    private static func said(_ fraction: Double, by operation: ConcurrentOperation) -> Double {
        operation is JobController ? min(fraction, 1.0.nextDown) : fraction
    }

    /// The fraction that the `progress` of an operation shows, or would show.
    static func fraction(of operation: Operation) -> Double {
        guard let operation = operation as? ConcurrentOperation else { return 0 }
        guard let job = operation as? JobController else {
            return operation.reportedFraction.value ?? 0
        }
        let shell = job.shell
        if shell.features.contains(.ownFractions) { shell.beginProgress() }
        let (reporter, counted) = shell.ask { $0.progressAndFraction }
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
                let (above, raised) = record.shell.ask { $0.jobAndFraction }
                guard let above, above.reportedFraction.value == nil else { continue }
                remaining.append((above, raised))
            }
        }
    }

    /// Reads the fraction of a task, and returns whether it has advanced and its job reports
    /// progress.
    private static func takeFraction(of task: Operation, _ record: TaskRecord) -> Bool {
        guard let operation = task as? ConcurrentOperation else { return false }
        let nested = (task as? JobController)?.shell
        let fraction =
            operation.reportedFraction.value ?? nested?.ask { $0.jobAndFraction }.fraction
        return fraction.map { note(record, is: said($0, by: operation)) } ?? false
    }

    /// Records the fraction of a task, and returns whether it has advanced and its job reports
    /// progress.
    private static func note(_ record: TaskRecord, is fraction: Double) -> Bool {
        record.shell.features.contains(.progress)
            && record.shell.send { $0.taskAdvanced(record, to: fraction) }
    }
}
