import Foundation

// Unchecked because its superclass is: the lock of the queue guards the ticket, and the queue is
// set once.
/// Notifies a ``HoldingQueue`` of the start and the finish of an operation that it holds or has
/// passed on.
///
/// The queue is not retained: while an operation waits, the queue keeps itself.
final class HeldListener: OperationListener, @unchecked Sendable {
    private(set) weak var queue: (any HoldingQueue)?
    /// The operation's, once it stands in the queue; guarded by the queue's lock.
    var ticket: TaskQueueTicket?

    init(of queue: any HoldingQueue) { self.queue = queue }

    override func operationStarts() {
        guard let queue, let ticket = queue.ticket(of: self) else { return }
        queue.operationStarted(ticket)
    }

    override func operationFinished(hasFailed: Bool) { queue?.operationEnded(self) }
}

extension HoldingQueue {
    /// The ticket of a listener's operation.
    func ticket(of listener: HeldListener) -> TaskQueueTicket? {
        state.withLock { _ in listener.ticket }
    }
}
