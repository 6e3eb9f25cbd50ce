import Foundation
import JobKit

/// Tasks that eight threads add at the same time.
enum ContendedAdds {
    static let name = "contended adds from 8 threads"
    static let threadCount = 8

    /// The workload.
    ///
    /// Its size is the number of tasks of all threads.
    static func workload(size: Int) -> Workload {
        Workload(name, size: size, rounds: 3, variants: [job, taskQueue, operationQueue, ideal])
    }

    private static let job = Variant.cost(VariantName.jobOnTaskQueue) { trial in
        let queue = TaskQueue()
        let completions = trial.completions
        let held = HeldJob(queue: queue)
        trial.timeContended {
            held.trackAndQueue(EmptyTask()) { _ in completions.complete() }
        }
        held.release()
        queue.drain()
    }

    private static let taskQueue = Variant.cost(VariantName.taskQueue) { trial in
        let queue = TaskQueue()
        let completions = trial.completions
        trial.timeContended { queue.addOperation(CountedTask(completions)) }
        queue.drain()
    }

    private static let operationQueue = Variant.cost(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        let completions = trial.completions
        trial.timeContended {
            queue.addOperation(BlockOperation { completions.complete() })
        }
        queue.drain()
    }

    private static let ideal = Variant.cost(VariantName.ideal) { trial in
        let queue = IdealQueue()
        let completions = trial.completions
        trial.timeContended { queue.add { completions.complete() } }
        queue.close()
    }
}

extension CostTrial {
    /// Times how long the threads of the workload take to add all tasks.
    ///
    /// The threads exist and wait when the timing starts.
    fileprivate func timeContended(add: @escaping @Sendable () -> Void) {
        let go = DispatchSemaphore(value: 0)
        let size = size
        for thread in 0..<ContendedAdds.threadCount {
            Thread {
                go.wait()
                for _ in stride(from: thread, to: size, by: ContendedAdds.threadCount) { add() }
            }
            .start()
        }
        Thread.sleep(forTimeInterval: Rounds.rest)
        time { for _ in 0..<ContendedAdds.threadCount { go.signal() } }
    }
}
