/// The inputs of ``JobSubmissionStateMachine``.
extension JobState {
    /// Sets the concurrency limit of a group.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - group: The group.
    ///   - finished: The tasks that had already finished when this was checked, before the first
    ///     limit.
    mutating func limitChanged(to limit: Int, for group: JobGroup, finished: [TaskRecord]) {
        let number = groups.number(of: group)
        if !submission.isCounting { submission.countingBegan(tasks.records, finished: finished) }
        submission.limitChanged(to: limit, group: number)
    }
}
