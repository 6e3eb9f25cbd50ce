import Dispatch
import Foundation

/// A queue that contains operations, as operations see it.
///
/// It also accepts operations that do not announce when they are ready.
protocol ContainingQueue: AnyObject, Sendable {
    /// Called when an operation may have become ready.
    func operationBecameReady(_ operation: Operation)

    /// Called when an operation was cancelled.
    func operationCancelled(_ operation: Operation)

    /// Called when an operation's `queuePriority` was set.
    func operationPriorityChanged(_ operation: Operation)

    /// Returns a function with the reasons why operations of this queue have not been started.
    ///
    /// The function serves many operations, so that a report reads the queue only once. It takes no
    /// lock that a callback could hold.
    func reasonsNotStarted(at now: CoarseTime) -> (Operation) -> String?

    /// Called when an operation has finished on a thread that does not release its permit itself.
    ///
    /// The default does nothing, because operations that only wait have no permit.
    func operationFinished(_ operation: ConcurrentOperation)

    /// Starts an operation that ``operationFinished(_:)-(ConcurrentOperation)`` left to this thread.
    ///
    /// Does nothing by default, because only operations with a permit are left.
    ///
    /// - Parameters:
    ///   - operation: The operation, which only makes a Swift task.
    ///   - ticket: Its ticket.
    ///   - atOnce: Whether the Swift task begins on this thread.
    func startTaken(_ operation: Operation, _ ticket: TaskQueueTicket, atOnce: Bool)

    /// Removes a plain operation that has finished, and releases its permit.
    ///
    /// The default does nothing, too.
    func operationFinished(_ ticket: TaskQueueTicket)

    /// The ticket of an operation that waits to become ready, or nil if it does not wait.
    func waitingTicket(of operation: Operation) -> TaskQueueTicket?

    /// Whether an operation has nothing left to wait for.
    func isStartable(_ operation: Operation) -> Bool

    /// The operation that has a ticket and was not started, or nil if there is none.
    func operation(waitingAt ticket: TaskQueueTicket) -> Operation?

    /// Changes the polls, with the queue's lock held.
    func changePolls<Result: Sendable>(
        _ change: (inout ReadinessPolls) -> Result
    ) -> Result

    /// Polls operations.
    ///
    /// It always gets a thread, because no blocked operation holds it.
    var pollQueue: DispatchQueue { get }
}

extension ContainingQueue {
    func operationFinished(_ operation: ConcurrentOperation) {}

    func startTaken(_ operation: Operation, _ ticket: TaskQueueTicket, atOnce: Bool) {}

    func operationFinished(_ ticket: TaskQueueTicket) {}
}
