import JobKit

/// A job whose tasks are jobs of many tasks.
// Unchecked, as every Operation subclass: its own state is immutable and Sendable.
final class NestingJob: JobController, @unchecked Sendable {
    private let size: Int
    private let tasksPerJob: Int
    private let completions: Completions

    /// Makes a job of enough jobs for all the tasks of the trial.
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
