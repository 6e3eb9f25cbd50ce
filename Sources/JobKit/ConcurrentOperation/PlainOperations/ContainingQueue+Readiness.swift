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
    func operationCancelled(_ operation: Operation) { checkReadiness(of: operation) }

    /// Makes an operation ready if it is, and otherwise ensures that it is polled.
    func checkReadiness(of operation: Operation) {
        if !markReadyIfReady(operation) { poll(operation, isSoon: true) }
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
        guard waitingTicket(of: operation) != nil else { return true }
        if let concurrent = operation.asConcurrent { return !concurrent.hasNoUnfinishedDependency }
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return false }
        PlainOperations.wait(operation, for: unfinished) { [self] in
            dependenciesEnded(of: operation)
        }
        return true
    }

    /// Makes an operation ready after its dependencies have finished.
    ///
    /// If Foundation has not notified it yet, another thread checks it and then polls it.
    private func dependenciesEnded(of operation: Operation) {
        guard !markReadyIfReady(operation) else { return }
        pollQueue.async { [self] in checkReadiness(of: operation) }
    }

    // MARK: Polls

    /// Polls an operation ten times a second, or sooner at first.
    func poll(_ operation: Operation, isSoon: Bool) {
        guard let ticket = waitingTicket(of: operation) else { return }
        schedule(changePolls { $0.entryAdded(ticket, isSoon: isSoon) })
    }

    /// Schedules a poll, if there is one to schedule.
    func schedule(_ poll: ReadinessPolls.Poll?) {
        guard let (number, pause) = poll else { return }
        pollQueue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
            self?.poll(number)
        }
    }

    private func poll(_ number: Int) {
        guard let tickets = changePolls({ $0.pollBegan(number) }) else { return }
        let remaining = tickets.filter { ticket in
            guard let waiting = operation(waitingAt: ticket) else { return false }
            if isStartable(waiting) {
                if waiting.isCancelled {
                    operationCancelled(waiting)
                } else {
                    operationBecameReady(waiting)
                }
            }
            return operation(waitingAt: ticket) != nil
        }
        schedule(changePolls { $0.pollFinished(tickets.count, remaining: remaining) })
    }
}
