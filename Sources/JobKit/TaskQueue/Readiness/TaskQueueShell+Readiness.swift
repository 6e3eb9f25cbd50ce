import Dispatch
import Foundation
import Synchronization

/// Finding out when operations are ready whose dependencies do not tell by themselves.
extension TaskQueueShell {
    /// Makes an operation ready if it is, or sees that it is asked again.
    func lookWhetherReady(_ operation: Operation) {
        if !look(at: operation) { askLater(operation) }
    }

    /// Makes an operation ready if it is.
    ///
    /// A ``ConcurrentOperation`` is told of the ends of its dependencies; those of a plain
    /// operation begin to be waited for here.
    ///
    /// - Returns: False if the operation says that it is not ready although nothing is known that
    ///   it waits for: it has an `isReady` of its own, or Foundation is just telling it.
    func look(at operation: Operation) -> Bool {
        if operation.isReady {
            operationBecameReady(operation)
            return true
        }
        guard let ticket = ask({ $0.waitingTicket(of: operation) }) else { return true }
        if let concurrent = operation as? ConcurrentOperation {
            return !concurrent.hasNoUnfinishedDependency
        }
        let unfinished = operation.dependencies.filter { !$0.isFinished }
        guard !unfinished.isEmpty else { return false }
        wait(operation, ticket, for: unfinished)
        return true
    }

    /// Asks an operation again whether it is ready, soon and then ten times a second.
    func askLater(_ operation: Operation) {
        guard let ticket = ask({ $0.waitingTicket(of: operation) }) else { return }
        keep(ask { $0.operationIsUnready(ticket) })
    }

    /// Makes a plain operation wait for others; it is told of their ends, and asked now and then.
    private func wait(
        _ operation: Operation,
        _ ticket: TaskQueueTicket,
        for unfinished: [Operation]
    ) {
        let end = OperationsEnd { [self] in dependenciesEnded(of: operation) }
        PlainOperations.keep(end, of: operation)
        end.wait(for: unfinished)
        keep(ask { $0.dependenciesAwaited(by: ticket) })
    }

    private func dependenciesEnded(of operation: Operation) {
        guard !look(at: operation) else { return }
        let late = LateLook(operation: operation, queue: self)
        let context = ThreadContext.current
        if context.pointee.lateLooks == nil {
            lookQueue.async { LateLook.look([late], mayPause: true) }
        } else {
            context.pointee.lateLooks?.append(late)
        }
    }

    // MARK: Rounds

    /// Where operations are asked again whether they are ready: a thread that no blocked operation
    /// holds.
    var lookQueue: DispatchQueue { ask { $0.workers.queueToLook() } }

    private func keep(_ appointment: ReadinessRound.Appointment?) {
        guard let appointment else { return }
        lookQueue.asyncAfter(deadline: .now() + .milliseconds(appointment.milliseconds)) {
            [self] in ask(appointment)
        }
    }

    private func ask(_ appointment: ReadinessRound.Appointment) {
        guard let (unready, waiting) = ask({ $0.roundBegan(appointment) }) else { return }
        var remaining = ReadinessRound.Asked()
        for (ticket, operation) in unready where !look(at: operation) {
            remaining.unready.append(ticket)
        }
        for (ticket, operation) in waiting {
            if operation.isReady {
                operationBecameReady(operation)
            } else {
                remaining.waiting.append(ticket)
            }
        }
        keep(ask { $0.roundEnded(appointment, remaining: remaining) })
    }
}
