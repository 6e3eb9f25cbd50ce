import Dispatch
import Foundation

/// Detects when operations become ready.
///
/// A ``ConcurrentOperation`` notifies its queue when its dependencies have finished. For a plain
/// operation, this code waits for the dependencies. Its cancellation, or a change of its own
/// `isReady`, can only be detected by polling.
extension ContainingQueue {
    func isStartable(_ operation: Operation) -> Bool { operation.isReady }

    /// Makes a cancelled operation ready, because it waits for no dependency.
    func operationCancelled(_ operation: Operation) {
        if operation is ConcurrentOperation {
            operationBecameReady(operation)
        } else {
            checkReadiness(of: operation)
        }
    }

    /// Makes an operation ready if it is, and otherwise ensures that it is polled.
    func checkReadiness(of operation: Operation) {
        if !markReadyIfReady(operation) { pollSoon(operation) }
    }

    /// Makes an operation ready if it is.
    ///
    /// - Returns: False if the operation is not ready although it has no known unfinished
    ///   dependency. It has its own `isReady`, or Foundation is just notifying it.
    func markReadyIfReady(_ operation: Operation) -> Bool {
        guard !isStartable(operation) else {
            operationBecameReady(operation)
            return true
        }
        guard let ticket = waitingTicket(of: operation) else { return true }
        if let concurrent = operation as? ConcurrentOperation {
            return !concurrent.hasNoUnfinishedDependency
        }
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return false }
        let end = CompletionGroup { [self] in dependenciesEnded(of: operation) }
        PlainOperations.keep(end, of: operation)
        end.wait(for: unfinished)
        poll(ticket)
        return true
    }

    /// Makes an operation ready after its dependencies have finished.
    ///
    /// If Foundation has not notified it yet, another thread checks it some times and then polls it.
    private func dependenciesEnded(of operation: Operation) {
        guard !markReadyIfReady(operation) else { return }
        pollQueue.async { [self] in
            for _ in 0..<10 {
                if markReadyIfReady(operation) { return }
                sched_yield()
            }
            checkReadiness(of: operation)
        }
    }

    // MARK: Polls

    /// Polls an operation ten times a second if it does not announce its cancellation.
    func pollUnlessAnnounced(_ operation: Operation) {
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
            if isStartable(operation) {
                operationBecameReady(operation)
                guard waitingTicket(of: operation) == ticket else { continue }
            }
            remaining.waiting.append(ticket)
        }
        keep(changePolls { [remaining] polls, _ in polls.pollFinished(poll, remaining: remaining) })
    }
}
