import Foundation
import JobKit

/// Cancels tasks that wait in a suspended queue, and empties the queue.
enum CancelWaiting {
    static let name = "cancel of waiting tasks"

    /// The workload.
    ///
    /// Its size is the number of waiting tasks.
    static func workload(size: Int) -> Workload {
        Workload(name, size: size, rounds: 3, variants: [job, taskQueue, operationQueue])
    }

    private static let job = Variant.cost(VariantName.jobOnTaskQueue) { trial in
        let queue = TaskQueue()
        let tasks = (0..<trial.size).map { _ in EmptyTask() }
        let held = HeldJob(queue: queue)
        queue.isSuspended = true
        for task in tasks { held.trackAndQueue(task) }
        trial.timeCancel(of: tasks) {
            held.cancel()
            held.waitUntilFinished()
            queue.isSuspended = false
            queue.drain()
        }
    }

    private static let taskQueue = Variant.cost(VariantName.taskQueue) { trial in
        let queue = TaskQueue()
        let tasks = (0..<trial.size).map { _ in EmptyTask() }
        queue.isSuspended = true
        for task in tasks { queue.addOperation(task) }
        trial.timeCancel(of: tasks) {
            queue.cancelAllOperations()
            queue.isSuspended = false
            queue.drain()
        }
    }

    private static let operationQueue = Variant.cost(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        let tasks = (0..<trial.size).map { _ in BlockOperation {} }
        queue.isSuspended = true
        for task in tasks { queue.addOperation(task) }
        trial.timeCancel(of: tasks) {
            queue.cancelAllOperations()
            queue.isSuspended = false
            queue.drain()
        }
    }
}

extension CostTrial {
    /// Times a cancellation, then counts the tasks that were cancelled and have finished.
    fileprivate func timeCancel(of tasks: [some Operation], _ cancel: () -> Void) {
        timeUncounted(cancel)
        for task in tasks where task.isCancelled && task.isFinished { completions.complete() }
    }
}
