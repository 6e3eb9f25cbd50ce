/// The names of the variants that several workloads have.
enum VariantName {
    /// A `JobController` whose tasks go to a `TaskQueue`.
    static let jobOnTaskQueue = "JobController on TaskQueue"
    /// A `JobController` whose tasks go to an `OperationQueue`.
    static let jobOnOperationQueue = "JobController on OperationQueue"
    /// A `TaskQueue` without a job.
    static let taskQueue = "TaskQueue"
    /// Foundation's queue, as most people use it.
    static let operationQueue = "OperationQueue"
    /// A child task of Swift concurrency for each task.
    static let taskGroup = "withTaskGroup"
    /// A bare `Operation`, started by hand.
    static let floor = "floor: bare Operation, no queue"
    /// A lock, an array, two threads and a closure for each task.
    static let ideal = "ideal: lock, array, two threads"
}
