import Foundation
import JobKit

/// The kinds of queue on which the same variant is measured.
enum QueueKind: Sendable {
    /// JobKit's own queue.
    case taskQueue
    /// Foundation's queue.
    case operationQueue

    /// Creates a queue of this kind with its default concurrency limit.
    func make() -> any BenchmarkQueue {
        switch self {
        case .taskQueue: TaskQueue()
        case .operationQueue: OperationQueue()
        }
    }

    /// The name of the variant with a job on such a queue.
    var jobName: String {
        switch self {
        case .taskQueue: VariantName.jobOnTaskQueue
        case .operationQueue: VariantName.jobOnOperationQueue
        }
    }

    /// The name of the variant with such a queue alone.
    var queueName: String {
        switch self {
        case .taskQueue: VariantName.taskQueue
        case .operationQueue: VariantName.operationQueue
        }
    }
}
