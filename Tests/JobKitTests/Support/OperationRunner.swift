import Foundation
import JobKit
import XCTest

/// The ways in which an operation can be started (O1).
enum OperationRunner: CaseIterable {
    case bareStart
    case operationQueue
    case taskQueue

    /// Sees that each operation is started once it is ready, on threads other than the caller's.
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

extension XCTestCase {
    /// Waits until all of the operations have finished, and fails where that takes too long.
    func waitForFinish(of operations: Operation..., timeout: TimeInterval = 300) async {
        let finished = expectation(description: "operations have finished")
        Task {
            for operation in operations { await operation.waitForFinish() }
            finished.fulfill()
        }
        await fulfillment(of: [finished], timeout: timeout)
        // The call does not wait for an operation that was cancelled before its start: that one
        // finishes when its queue starts it.
        for case let operation as ConcurrentOperation in operations where operation.isCancelled {
            await eventually { operation.isClosed }
        }
    }
}

extension OperationOutcome {
    /// The outcome as text that can be compared.
    var text: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed(let error): "failed \(error)"
        case .cancelled: "cancelled"
        }
    }
}

extension OperationScheduling {
    /// Adds operations one after the other, from any context.
    func add(_ operations: Operation...) {
        for operation in operations { addOperation(operation) }
    }
}
