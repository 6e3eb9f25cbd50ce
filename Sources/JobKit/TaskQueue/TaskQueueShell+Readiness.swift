import Dispatch
import Foundation
import Synchronization

/// Finding out when operations are ready whose dependencies do not tell by themselves.
extension TaskQueueShell {
    /// Makes an operation ready if it is, or sees that somebody looks again.
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
        guard let ticket = waitingTicket(of: operation) else { return true }
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
        guard let ticket = waitingTicket(of: operation) else { return }
        keep(state.withLock { $0.round.entryIsUnready(ticket) })
    }

    private func waitingTicket(of operation: Operation) -> TaskQueueTicket? {
        state.withLock { state in
            guard let slot = slot(of: operation, &state), state.machine.isWaiting(slot) else {
                return nil
            }
            return state.machine.ticket(slot)
        }
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
        let appointment = state.withLock { state in
            if state.round.isCrowded {
                let machine = state.machine
                state.round.removeVoid { machine.isCurrent($0) && machine.isWaiting($0.slot) }
            }
            return state.round.entryWaits(ticket)
        }
        keep(appointment)
    }

    private func dependenciesEnded(of operation: Operation) {
        guard !look(at: operation) else { return }
        let late = LateLook(operation: operation, queue: self)
        let context = ThreadContext.current
        if context.lateLooks == nil {
            lookQueue.async { LateLook.look([late], mayPause: true) }
        } else {
            context.lateLooks?.append(late)
        }
    }

    // MARK: Rounds

    /// Where operations are asked again whether they are ready: a thread that no blocked operation
    /// holds.
    var lookQueue: DispatchQueue {
        state.withLock { state in
            if let queue = state.lookQueue { return queue }
            let queue = DispatchQueue(label: "\(name) readiness", qos: quality)
            state.lookQueue = queue
            return queue
        }
    }

    private func keep(_ appointment: ReadinessRound.Appointment?) {
        guard let appointment else { return }
        lookQueue.asyncAfter(deadline: .now() + .milliseconds(appointment.milliseconds)) {
            [self] in ask(appointment)
        }
    }

    private func ask(_ appointment: ReadinessRound.Appointment) {
        let asked = state.withLock { state in
            state.round.roundBegan(appointment)
                .map { (Self.waiting($0.unready, state), Self.waiting($0.waiting, state)) }
        }
        guard let (unready, waiting) = asked else { return }
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
        keep(state.withLock { $0.round.roundEnded(appointment, remaining: remaining) })
    }

    private static func waiting(
        _ tickets: [TaskQueueTicket],
        _ state: State
    ) -> [(TaskQueueTicket, Operation)] {
        tickets.compactMap { ticket in
            guard state.machine.isCurrent(ticket), state.machine.isWaiting(ticket.slot) else {
                return nil
            }
            return state.machine.slots[ticket.slot].entry.map { (ticket, $0) }
        }
    }
}
