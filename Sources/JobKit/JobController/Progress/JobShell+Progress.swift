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
            remaining += shell.tasks.compactMap { $0.asJob?.shell }
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
    func progressTracks(_ task: Operation, _ record: TaskRecord) {
        // The record may have ended, and no longer have the task.
        if record.isConcurrent,
            unsafeDowncast(task, to: ConcurrentOperation.self).reportedFraction.isReported
        {
            features.insert(.ownFractions)
        }
        guard features.contains(.progress) else { return }
        task.asJob?.shell.beginProgress()
        if Self.takeFraction(of: task, record) { progressAdvances() }
    }

    /// Advances the progress of this job and its ancestors after a task was delivered or advanced.
    func progressAdvances() {
        guard features.contains(.progress) else { return }
        let (job, fraction) = ask { $0.jobAndFraction }
        // A job that reports its own fraction has already reported it to its ancestors.
        guard let job, job.reportedFraction.value == nil else { return }
        Self.advance(job, to: fraction)
    }

    /// Completes the progress, because the job has succeeded.
    func progressSucceeds(_ job: JobController) {
        if features.contains(.progress) { Self.advance(job, to: 1) }
    }

    /// Passes on the fraction that an operation, which may be a job, has reported about itself.
    static func progressReported(by operation: ConcurrentOperation) {
        for record in TaskRecord.tracking(operation) { record.shell.features.insert(.ownFractions) }
        if let fraction = currentFraction(of: operation) { advance(operation, to: fraction) }
    }

    /// The fraction that an operation has reported, or that a job computes from its tasks.
    ///
    /// A job stays below 1 until it has finished.
    private static func currentFraction(of operation: Operation) -> Double? {
        guard let job = operation.asJob else { return operation.ownFraction }
        return min(job.ownFraction ?? job.shell.ask { $0.jobAndFraction.fraction }, 1.0.nextDown)
    }

    /// The fraction that the `progress` of an operation shows, or would show.
    static func fraction(of operation: Operation) -> Double {
        let shell = operation.asJob?.shell
        if let shell, shell.features.contains(.ownFractions) { shell.beginProgress() }
        let fraction = currentFraction(of: operation) ?? 0
        guard let shell else { return fraction }
        guard let reporter = shell.ask({ $0.progress }) else {
            return shell.shownFraction.raised(to: fraction)
        }
        reporter.advance(to: fraction)
        return reporter.progress.fractionCompleted
    }

    // MARK: Up the tree

    private static func advance(_ operation: ConcurrentOperation, to fraction: Double) {
        var remaining = [(operation: operation, fraction: fraction)]
        while let (operation, fraction) = remaining.popLast() {
            operation.asJob?.shell.ask { $0.progress }?.advance(to: fraction)
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
        currentFraction(of: task).map { note(record, is: $0) } ?? false
    }

    /// Records the fraction of a task, and returns whether it has advanced and its job reports
    /// progress.
    private static func note(_ record: TaskRecord, is fraction: Double) -> Bool {
        record.shell.features.contains(.progress)
            && record.shell.send { $0.taskAdvanced(record, to: fraction) }
    }
}
