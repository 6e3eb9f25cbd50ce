import Foundation

/// Something that starts the operations given to it: an `OperationQueue`, a ``TaskQueue``, or a
/// type of your own.
public protocol OperationScheduling: AnyObject, Sendable {
    /// Adds an operation, to start it once when it is ready.
    func addOperation(_ operation: Operation)

    /// Returns why an operation that this queue holds has not been started, in a few words.
    ///
    /// ``JobController/explainStall(limit:)`` shows the text. The default returns nil, which gives no
    /// reason.
    ///
    /// > Thread: Called by `explainStall` on the calling thread, with no lock held. It must return
    /// > at once, change nothing, and take no lock that a callback could hold.
    ///
    /// - Parameter operation: Any operation, also one that the queue does not hold.
    /// - Returns: The reason, such as `full: disk, where a.jpg executes`; nil if the queue does not
    ///   hold the operation.
    func reasonNotStarted(_ operation: Operation) -> String?
}

extension OperationScheduling {
    /// Returns nil: the queue gives no reason.
    public func reasonNotStarted(_ operation: Operation) -> String? { nil }
}

extension OperationQueue: OperationScheduling {}
