import Foundation

/// Starts the operations that it receives: an `OperationQueue`, a ``TaskQueue`` or your own type.
public protocol OperationScheduling: AnyObject, Sendable {
    /// Adds an operation, which must be started once, when it is ready.
    func addOperation(_ operation: Operation)

    /// Returns a short reason why an operation in this queue has not been started.
    ///
    /// ``JobController/explainStall(limit:)`` shows the text. The default returns nil, which gives
    /// no reason.
    ///
    /// > Thread: Called by `explainStall` on the calling thread, with no lock held. It must return
    /// > at once, change nothing, and take no lock that a callback could hold.
    ///
    /// - Parameter operation: Any operation, even one that is not in this queue.
    /// - Returns: The reason, such as `full: disk, where a.jpg executes`, or nil if the operation
    ///   is not in this queue.
    func reasonNotStarted(_ operation: Operation) -> String?
}

extension OperationScheduling {
    /// Returns nil, because the queue gives no reason.
    public func reasonNotStarted(_ operation: Operation) -> String? { nil }
}

extension OperationQueue: OperationScheduling {}
