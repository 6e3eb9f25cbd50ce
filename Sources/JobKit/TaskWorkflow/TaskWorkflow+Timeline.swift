extension TaskWorkflow {
    /// Writes when the tasks ran and how long they took, in whole milliseconds.
    ///
    /// ```text
    /// [Launch start] - [TaskA 201ms] - [TaskC 200ms] - [Waiting 5ms] - [TaskG 13ms] - [Launch finish]
    ///                                - [TaskE 205ms]
    /// ```
    ///
    /// The first line is the main thread's. After a blocking group with concurrent tasks it shows how
    /// long the group was still waited for; each concurrent task has a line of its own, below the
    /// first main-queue task of its stage. Behind the time of a task that failed or was cancelled
    /// stands `failed` or `cancelled`. Of a workflow that has not finished, the timeline shows what
    /// has happened till now.
    public final func generateTimeline() -> String {
        let (plan, record) = launch.state.withLock { ($0.machine.plan, $0.record) }
        return LaunchTimeline(name: label, plan: plan, record: record, now: .now).text()
    }

    /// Names the tasks that decided how long the launch took, first to last.
    ///
    /// Each started when the one before it had ended, by its stage, its turn on the main thread or a
    /// dependency; the last one ended last. A gate that was opened later than all else begins a path.
    /// The savings are worked out from the recorded durations: each as if only that task were
    /// concurrent, no other task needed its turn, and there were threads enough.
    ///
    /// - Returns: The critical path; empty until the workflow has finished.
    public final func criticalTasks() -> [CriticalLaunchTask] {
        let (plan, record) = launch.state.withLock { ($0.machine.plan, $0.record) }
        guard record.ended != nil else { return [] }
        return LaunchForecast(plan: plan, record: record).criticalTasks()
    }
}
