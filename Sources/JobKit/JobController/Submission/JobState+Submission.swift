/// The inputs of ``JobSubmissionStateMachine``.
extension JobState {
    /// Returns whether the caller must drain the submission queue.
    @inline(__always)
    mutating func startDraining() -> Bool { submission.startDraining() }

    /// Takes the next task from the submission queue, or ends the draining and returns nil.
    mutating func nextEntry() -> TaskRecord.QueueEntry? { submission.nextEntry() }

    /// Submits a task, and returns it if the caller must put it into its queue.
    mutating func taskSubmitted(_ record: TaskRecord) -> TaskRecord.QueueEntry? {
        submission.taskSubmitted(record)
    }

    /// Returns the group permit of a finished task.
    mutating func taskLeftQueue(_ record: TaskRecord) { submission.taskFinished(record) }

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
