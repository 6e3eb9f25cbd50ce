import Dispatch
import Foundation

/// The queue that an operation stands in, as far as operations know it.
protocol QueueHome: AnyObject, Sendable {
    /// The operation may have become ready.
    func operationBecameReady(_ operation: Operation)

    /// The operation's `queuePriority` was set.
    func operationPriorityChanged(_ operation: Operation)

    /// The operation has finished on a thread that is not about to give its place away.
    func operationFinished(_ operation: ConcurrentOperation)

    // MARK: Plain operations

    /// Gives the place of a plain operation away.
    func plainFinished(_ ticket: TaskQueueTicket)

    /// Makes an operation ready if it is; returns false if it has to be asked again.
    func look(at operation: Operation) -> Bool

    /// Sees that an operation is asked again whether it is ready.
    func askLater(_ operation: Operation)

    /// Where operations are asked again: a thread that no blocked operation holds.
    var lookQueue: DispatchQueue { get }
}
