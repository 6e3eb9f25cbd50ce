extension JobState {
    /// Stores the job's progress object if there is none yet, and returns the shared one.
    mutating func progressAsked(_ made: JobProgress) -> JobProgress {
        let given = progress ?? made
        progress = given
        return given
    }

    /// Records the fraction of a task.
    ///
    /// - Returns: Whether the fraction is higher than before and the job waits for the task.
    mutating func taskAdvanced(_ record: TaskRecord, to fraction: Double) -> Bool {
        guard record.task != nil, record.isAwaited, fraction > record.fraction else {
            return false
        }
        tally.taskAdvanced(
            weight: record.terms.weight,
            from: record.fraction,
            to: fraction,
            trackedIn: record.generation
        )
        record.advance(to: fraction)
        return true
    }
}
