import Foundation

// Unchecked because its superclass is. The queue's lock guards the ticket, and the queue is set
// once.
/// Notifies a ``HoldingQueue`` of the start and completion of an operation.
///
/// The queue holds the operation or has passed it on. The queue is not retained here, because it
/// retains itself while an operation waits.
final class HeldListener: OperationListener, @unchecked Sendable {
    private(set) weak var queue: (any HoldingQueue)?
    /// The operation's ticket after it was added to the queue.
    ///
    /// The queue's lock guards it.
    var ticket: TaskQueueTicket?

    init(of queue: any HoldingQueue) { self.queue = queue }

    override func operationStarts() { queue?.operationStarted(self) }

    override func operationFinished(hasFailed: Bool) { queue?.operationEnded(self) }
}
