import Foundation
import JobKit

/// Jobs of a hundred tasks each, all tracked by one job.
enum NestedJobs {
    static let name = "nested jobs of 100 tasks"
    static let tasksPerJob = 100

    /// The workload.
    ///
    /// Its size is the number of tasks, not of jobs.
    static func workload(size: Int) -> Workload {
        Workload(
            name,
            size: size,
            rounds: 3,
            variants: [
                job(on: .taskQueue),
                job(on: .operationQueue),
                operationQueue,
                taskGroup,
            ]
        )
    }

    private static func job(on kind: QueueKind) -> Variant {
        .cost(kind.jobName) { trial in
            let queue = kind.make()
            var job: NestingJob?
            trial.time {
                let started = NestingJob(queue: queue, trial: trial, tasksPerJob: tasksPerJob)
                started.startJob(on: queue)
                job = started
            }
            job?.waitUntilFinished()
            queue.drain()
        }
    }

    /// The same without JobKit: an operation for each job adds its tasks and counts them.
    private static let operationQueue = Variant.cost(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        let completions = trial.completions
        trial.time {
            for _ in 0..<(trial.size / tasksPerJob) {
                queue.addOperation(
                    BlockOperation {
                        let ofThisJob = Completions(expected: tasksPerJob)
                        for _ in 0..<tasksPerJob {
                            let task = BlockOperation {}
                            task.completionBlock = {
                                ofThisJob.complete()
                                completions.complete()
                            }
                            queue.addOperation(task)
                        }
                    }
                )
            }
        }
        queue.drain()
    }

    private static let taskGroup = Variant.cost(VariantName.taskGroup) { trial in
        let (size, completions) = (trial.size, trial.completions)
        trial.time {
            _ = Task.detached {
                await withTaskGroup(of: Void.self) { jobs in
                    for _ in 0..<(size / tasksPerJob) {
                        jobs.addTask {
                            await withTaskGroup(of: Void.self) { tasks in
                                for _ in 0..<tasksPerJob { tasks.addTask {} }
                                for await _ in tasks { completions.complete() }
                            }
                        }
                    }
                }
            }
        }
    }
}
