import Foundation
import JobKit

/// Steps that are each started by the previous step's callback.
enum SequentialSteps {
    static let name = "sequential steps"

    /// Returns the workload with all variants, or only those that show how the cost grows.
    static func workload(size: Int, all: Bool, rounds: Int = 9) -> Workload {
        let growing = [job(on: .taskQueue), operationQueue, taskGroup]
        let others = [ideal, job(on: .operationQueue).limited(toRounds: 3)]
        return Workload(
            name,
            size: size,
            rounds: rounds,
            variants: all ? growing + others : growing
        )
    }

    private static func job(on kind: QueueKind) -> Variant {
        .cost(kind.jobName) { trial in
            let queue = kind.make()
            let completions = trial.completions
            var job: StepsJob?
            trial.time {
                let started = StepsJob(queue: queue, steps: trial.size) { _ in
                    completions.complete()
                }
                started.startJob(on: queue)
                job = started
            }
            job?.waitUntilFinished()
            queue.drain()
        }
    }

    static let operationQueue = Variant.cost(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        trial.time { addStep(to: queue, remaining: trial.size, trial.completions) }
        queue.drain()
    }

    private static let taskGroup = Variant.cost(VariantName.taskGroup) { trial in
        let (size, completions) = (trial.size, trial.completions)
        trial.time {
            _ = Task.detached {
                for _ in 0..<size {
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask {}
                        await group.waitForAll()
                        completions.complete()
                    }
                }
            }
        }
    }

    private static let ideal = Variant.cost(VariantName.ideal) { trial in
        let queue = IdealQueue()
        trial.time { addStep(to: queue, remaining: trial.size, trial.completions) }
        queue.close()
    }

    private static func addStep(
        to queue: OperationQueue,
        remaining: Int,
        _ completions: Completions
    ) {
        let step = BlockOperation {}
        step.completionBlock = {
            if remaining > 1 { addStep(to: queue, remaining: remaining - 1, completions) }
            completions.complete()
        }
        queue.addOperation(step)
    }

    private static func addStep(to queue: IdealQueue, remaining: Int, _ completions: Completions) {
        queue.add {
            if remaining > 1 { addStep(to: queue, remaining: remaining - 1, completions) }
            completions.complete()
        }
    }
}
