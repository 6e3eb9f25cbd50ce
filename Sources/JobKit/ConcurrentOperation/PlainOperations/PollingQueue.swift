import Dispatch
import Foundation

/// A queue in which operations may stand that do not tell by themselves when they are ready: all
/// that ``PlainOperations`` knows of it.
protocol PollingQueue: QueueHome {
    /// Gives the place of an operation away, which has finished.
    func operationFinished(_ ticket: TaskQueueTicket)

    /// The stay of an operation that waits to become ready; nil if it does not.
    func waitingTicket(of operation: Operation) -> TaskQueueTicket?

    /// Whether an operation has nothing left to wait for.
    func isDue(_ operation: Operation) -> Bool

    /// Changes what is polled, with the queue's lock held.
    ///
    /// - Parameter change: Is given what finds the operation that waits under a ticket.
    /// - Returns: What the change returns.
    func changePolls<Result: Sendable>(
        _ change: @Sendable (inout ReadinessPolls, (TaskQueueTicket) -> Operation?) -> Result
    ) -> Result

    /// Where operations are polled: a thread that no blocked operation holds.
    var pollQueue: DispatchQueue { get }
}

/// Finding out when operations are ready.
///
/// A ``ConcurrentOperation`` tells when its dependencies have finished. Of a plain one they are
/// waited for here; that it was cancelled, or that an `isReady` of its own has changed, only
/// polling finds out.
extension PollingQueue {
    func isDue(_ operation: Operation) -> Bool { operation.isReady }

    /// A cancelled operation waits for no dependency.
    func operationCancelled(_ operation: Operation) {
        if operation is ConcurrentOperation {
            operationBecameReady(operation)
        } else {
            checkReadiness(of: operation)
        }
    }

    /// Makes an operation ready if it is, or sees that it is polled.
    func checkReadiness(of operation: Operation) {
        if !markReadyIfReady(operation) { pollSoon(operation) }
    }

    /// Makes an operation ready if it is.
    ///
    /// - Returns: False if the operation says that it is not ready although nothing is known that
    ///   it waits for: it has an `isReady` of its own, or Foundation is just telling it.
    func markReadyIfReady(_ operation: Operation) -> Bool {
        guard !isDue(operation) else {
            operationBecameReady(operation)
            return true
        }
        guard let ticket = waitingTicket(of: operation) else { return true }
        if let concurrent = operation as? ConcurrentOperation {
            return !concurrent.hasNoUnfinishedDependency
        }
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return false }
        let end = OperationsEnd { [self] in dependenciesEnded(of: operation) }
        PlainOperations.keep(end, of: operation)
        end.wait(for: unfinished)
        poll(ticket)
        return true
    }

    /// Foundation may be about to tell the operation.
    private func dependenciesEnded(of operation: Operation) {
        guard !markReadyIfReady(operation) else { return }
        let recheck = ReadinessRecheck(operation: operation, queue: self)
        let context = ThreadContext.current
        if context.pointee.rechecks == nil {
            pollQueue.async { ReadinessRecheck.run([recheck]) }
        } else {
            context.pointee.rechecks?.append(recheck)
        }
    }

    // MARK: Polls

    /// Polls an operation that does not tell that it was cancelled, ten times a second.
    func pollUnlessItTells(_ operation: Operation) {
        guard !(operation is ConcurrentOperation) else { return }
        if let ticket = waitingTicket(of: operation) { poll(ticket) }
    }

    private func poll(_ ticket: TaskQueueTicket) {
        keep(changePolls { polls, waiting in polls.entryWaits(ticket) { waiting($0) != nil } })
    }

    /// Polls an operation soon, and then ten times a second.
    func pollSoon(_ operation: Operation) {
        guard let ticket = waitingTicket(of: operation) else { return }
        keep(changePolls { polls, _ in polls.entryIsUnready(ticket) })
    }

    private func keep(_ poll: ReadinessPolls.ScheduledPoll?) {
        guard let poll else { return }
        pollQueue.asyncAfter(deadline: .now() + .milliseconds(poll.milliseconds)) {
            [self] in carryOut(poll)
        }
    }

    private func carryOut(_ poll: ReadinessPolls.ScheduledPoll) {
        typealias Polled = [(ticket: TaskQueueTicket, operation: Operation)]
        let polled = changePolls { polls, waiting -> (unready: Polled, waiting: Polled)? in
            func standing(_ tickets: [TaskQueueTicket]) -> Polled {
                tickets.compactMap { ticket in waiting(ticket).map { (ticket, $0) } }
            }
            return polls.pollBegan(poll).map { (standing($0.unready), standing($0.waiting)) }
        }
        guard let polled else { return }
        var remaining = ReadinessPolls.Polled()
        for (ticket, operation) in polled.unready where !markReadyIfReady(operation) {
            remaining.unready.append(ticket)
        }
        for (ticket, operation) in polled.waiting {
            if isDue(operation) {
                operationBecameReady(operation)
                guard waitingTicket(of: operation) == ticket else { continue }
            }
            remaining.waiting.append(ticket)
        }
        keep(changePolls { [remaining] polls, _ in polls.pollFinished(poll, remaining: remaining) })
    }
}
