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
        let end = CompletionGroup { [self] in dependenciesEnded(of: operation) }
        PlainOperations.keep(end, of: operation)
        end.wait(for: unfinished)
        return true
    }

    /// Makes an operation ready after its dependencies have finished.
    ///
    /// If Foundation has not notified it yet, another thread checks it some times and then polls it.
    private func dependenciesEnded(of operation: Operation) {
        guard !markReadyIfReady(operation) else { return }
        pollQueue.async { [self] in
            for _ in 0..<100 {
                if markReadyIfReady(operation) { return }
                sched_yield()
            }
            checkReadiness(of: operation)
        }
    }

    // MARK: Polls

    /// Polls an operation ten times a second, or sooner at first.
    func poll(_ operation: Operation, isSoon: Bool) {
        guard let ticket = waitingTicket(of: operation) else { return }
        schedulePoll(in: changePolls { $0.entryAdded(ticket, isSoon: isSoon) })
    }

    /// Schedules a poll, unless the time until then is nil.
    func schedulePoll(in milliseconds: Int?) {
        guard let milliseconds else { return }
        pollQueue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            self?.poll()
        }
    }

    private func poll() {
        let tickets = changePolls { $0.pollBegan() }
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
        schedulePoll(in: changePolls { $0.pollFinished(tickets.count, remaining: remaining) })
    }
}
