import Foundation
import JobKit

/// The ways in which an operation can be started (O1).
enum OperationRunner: CaseIterable {
    case bareStart
    case operationQueue
    case taskQueue

    /// Starts each operation once it is ready, on threads other than the caller's.
    func run(_ operations: Operation...) {
        switch self {
        case .bareStart:
            for operation in operations { DispatchQueue.global().async { operation.start() } }
        case .operationQueue:
            OperationQueue().addOperations(operations, waitUntilFinished: false)
        case .taskQueue:
            TaskQueue().addOperations(operations)
        }
    }
}

extension OperationOutcome {
    /// The outcome as text, for comparisons.
    var text: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed(let error): "failed \(error)"
        case .cancelled: "cancelled"
        }
    }
}

extension OperationScheduling {
    /// Adds operations one after another, from any context.
    func add(_ operations: Operation...) {
        for operation in operations { addOperation(operation) }
    }
}
