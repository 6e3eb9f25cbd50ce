import Foundation

/// Something that starts the operations given to it: an `OperationQueue`, a ``TaskQueue``, or a
/// type of your own.
public protocol OperationScheduling: AnyObject, Sendable {
    /// Adds an operation, to start it once when it is ready.
    func addOperation(_ operation: Operation)
}

extension OperationQueue: OperationScheduling {}
