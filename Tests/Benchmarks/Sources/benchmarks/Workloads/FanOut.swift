import Foundation
import JobKit

/// Tasks that are tracked and queued at the same time, each with a completion.
enum FanOut {
    static let name = "fan-out"
    static let addOperations = "OperationQueue, addOperations"
    static let narrow = "OperationQueue, width of the cores"
    static let blockTasks = "JobController on TaskQueue, BlockOperation tasks"

    /// Returns the workload with all variants, or only those that show how the cost grows.
    static func workload(size: Int, all: Bool, rounds: Int = 9) -> Workload {
        let growing = [job(on: .taskQueue), operationQueue, taskGroup]
        let others = [
            floor, ideal,
            job(on: .operationQueue).limited(toRounds: 2),
            job(named: blockTasks, on: .taskQueue) { BlockOperation {} },
            narrowOperationQueue.limited(toRounds: 2),
            operationQueueAtOnce.limited(toRounds: 2),
        ]
        return Workload(
            name,
            size: size,
            rounds: rounds,
            variants: all ? growing + others : growing
        )
    }

    private static func job<Child: Operation>(
        named name: String? = nil,
        on kind: QueueKind,
        makeTask: @escaping @Sendable () -> Child = { EmptyTask() }
    ) -> Variant {
        .cost(name ?? kind.jobName) { trial in
            let queue = kind.make()
            let (size, completions) = (trial.size, trial.completions)
            var job: FanOutJob<Child>?
            trial.time {
                let started = FanOutJob(
                    queue: queue,
                    size: size,
                    completions: completions,
                    makeTask: makeTask
                )
                started.startJob(on: queue)
                job = started
            }
            job?.waitUntilFinished()
            queue.drain()
        }
    }

    private static let operationQueue = Variant.cost(VariantName.operationQueue) { trial in
        addOneByOne(to: OperationQueue(), trial)
    }

    /// Returns the variant of an `OperationQueue` with a concurrency limit.
    static func operationQueue(width: Int) -> Variant {
        .cost(VariantName.operationQueue) { trial in
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = width
            addOneByOne(to: queue, trial)
        }
    }

    private static let narrowOperationQueue = Variant.cost(narrow) { trial in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        addOneByOne(to: queue, trial)
    }

    private static let operationQueueAtOnce = Variant.cost(addOperations) { trial in
        let queue = OperationQueue()
        trial.time {
            let operations = (0..<trial.size).map { _ in blockOperation(trial.completions) }
            queue.addOperations(operations, waitUntilFinished: false)
        }
        queue.drain()
    }

    private static let taskGroup = Variant.cost(VariantName.taskGroup) { trial in
        let (size, completions) = (trial.size, trial.completions)
        trial.time {
            _ = Task.detached {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<size { group.addTask {} }
                    for await _ in group { completions.complete() }
                }
            }
        }
    }

    private static let floor = Variant.cost(VariantName.floor) { trial in
        let completions = trial.completions
        trial.time {
            let operations = (0..<trial.size)
                .map { _ in HookedOperation { completions.complete() } }
            for operation in operations { operation.start() }
        }
    }

    private static let ideal = Variant.cost(VariantName.ideal) { trial in
        let completions = trial.completions
        let queue = IdealQueue()
        trial.time {
            for _ in 0..<trial.size { queue.add { completions.complete() } }
        }
        queue.close()
    }

    private static func addOneByOne(to queue: OperationQueue, _ trial: CostTrial) {
        trial.time {
            for _ in 0..<trial.size { queue.addOperation(blockOperation(trial.completions)) }
        }
        queue.drain()
    }

    private static func blockOperation(_ completions: Completions) -> BlockOperation {
        let operation = BlockOperation {}
        operation.completionBlock = { completions.complete() }
        return operation
    }
}
