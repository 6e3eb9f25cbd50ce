import Foundation

/// Something that starts the operations given to it: an `OperationQueue`, a ``TaskQueue``, or a
/// type of your own.
public protocol OperationScheduling: AnyObject, Sendable {
    /// Adds an operation, to start it once when it is ready.
    func addOperation(_ operation: Operation)
}

extension OperationQueue: OperationScheduling {}

extension OperationScheduling {
    /// The shell of a ``TaskQueue``, which the queue retains; nil for any other queue.
    ///
    /// Not retained: each task asks, and would count the reference.
    @inline(__always)
    var taskQueueShell: Unmanaged<TaskQueueShell>? {
        guard self is TaskQueue else { return nil }
        return .passUnretained(unsafeDowncast(self, to: TaskQueue.self).shell)
    }
}
