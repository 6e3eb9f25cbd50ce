extension TaskWorkflow {
    /// Writes when the tasks ran and how long they took, in whole milliseconds.
    ///
    /// ```text
    /// [Launch start] - [TaskA 201ms] - [TaskC 200ms] - [Waiting 5ms] - [Launch finish]
    ///                                - [TaskE 205ms]
    /// ```
    ///
    /// The first line shows the main thread. `Waiting` is the time that the workflow still waited
    /// for a blocking group with concurrent tasks. Each concurrent task has its own line, below the
    /// first main-queue task of its stage. The time of a task that failed or was cancelled is
    /// followed by `failed` or `cancelled`. The timeline of an unfinished workflow shows what has
    /// happened so far.
    ///
    /// A main-thread line of more than 2,000 characters continues on another line, below the
    /// concurrent tasks of its stages.
    public final func generateTimeline() -> String {
        let (plan, record) = launch.state.withLock { ($0.machine.plan, $0.record) }
        return LaunchTimeline(name: label, plan: plan, record: record, now: .now).text()
    }

    /// Names the tasks that decided how long the launch took, first to last.
    ///
    /// Each started when the previous one had ended, because of its stage, its turn on the main
    /// thread or a dependency; the last one ended last. The path begins at a gate if that opened
    /// after everything else. Each saving is computed from the recorded durations, as if only that
    /// task were concurrent, no other task needed its turn, and there were enough threads.
    ///
    /// - Returns: The critical path; empty until the workflow has finished.
    public final func criticalTasks() -> [CriticalLaunchTask] {
        let (plan, record) = launch.state.withLock { ($0.machine.plan, $0.record) }
        guard record.ended != nil else { return [] }
        return LaunchForecast(plan: plan, record: record).criticalTasks()
    }
}
