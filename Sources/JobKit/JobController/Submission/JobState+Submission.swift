/// The inputs of ``JobSubmissionStateMachine``.
extension JobState {
    /// Sets the concurrency limit of a group.
    mutating func limitChanged(to limit: Int, for group: JobGroup) {
        if !submission.isCounting {
            // Without any limit, tasks need not be counted.
            guard limit < .max else { return }
            submission.countingBegan(tasks.records)
        }
        submission.limitChanged(to: limit, group: groups.number(of: group))
    }
}
