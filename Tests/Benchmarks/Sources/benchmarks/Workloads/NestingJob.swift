import JobKit

/// A job of nested jobs, which have many tasks each.
// Unchecked, like every Operation subclass: its own state is immutable and Sendable.
final class NestingJob: JobController, @unchecked Sendable {
    private let size: Int
    private let tasksPerJob: Int
    private let completions: Completions

    /// Creates a job with enough nested jobs for all tasks of the trial.
    init(queue: any OperationScheduling, trial: CostTrial, tasksPerJob: Int) {
        size = trial.size
        completions = trial.completions
        self.tasksPerJob = tasksPerJob
        super.init(queue: queue)
    }

    override func main() {
        for _ in 0..<(size / tasksPerJob) {
            trackAndQueue(
                FanOutJob(queue: queue, size: tasksPerJob, completions: completions) { EmptyTask() }
            )
        }
    }
}
