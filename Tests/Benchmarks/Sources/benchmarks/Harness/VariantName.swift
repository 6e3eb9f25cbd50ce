/// The names of variants that several workloads share.
enum VariantName {
    /// A `JobController` that adds its tasks to a `TaskQueue`.
    static let jobOnTaskQueue = "JobController on TaskQueue"
    /// A `JobController` that adds its tasks to an `OperationQueue`.
    static let jobOnOperationQueue = "JobController on OperationQueue"
    /// A `TaskQueue` without a job.
    static let taskQueue = "TaskQueue"
    /// Foundation's queue in its most common use.
    static let operationQueue = "OperationQueue"
    /// A child task of Swift concurrency for each task.
    static let taskGroup = "withTaskGroup"
    /// A bare `Operation` that is started without a queue.
    static let floor = "floor: bare Operation, no queue"
    /// A lock, an array, two threads and a closure for each task.
    static let ideal = "ideal: lock, array, two threads"
}
