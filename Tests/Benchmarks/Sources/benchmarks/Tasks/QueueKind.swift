import Foundation
import JobKit

/// The kinds of queue that the same variant is measured on.
enum QueueKind: Sendable {
    /// JobKit's own queue.
    case taskQueue
    /// Foundation's queue.
    case operationQueue

    /// A new queue of the kind, with its default width.
    func make() -> any BenchmarkQueue {
        switch self {
        case .taskQueue: TaskQueue()
        case .operationQueue: OperationQueue()
        }
    }

    /// The name of the variant that is a job on such a queue.
    var jobName: String {
        switch self {
        case .taskQueue: VariantName.jobOnTaskQueue
        case .operationQueue: VariantName.jobOnOperationQueue
        }
    }

    /// The name of the variant that is such a queue alone.
    var queueName: String {
        switch self {
        case .taskQueue: VariantName.taskQueue
        case .operationQueue: VariantName.operationQueue
        }
    }
}
