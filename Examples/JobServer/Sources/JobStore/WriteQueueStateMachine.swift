/// Decides what is written when, and what becomes of it while writes fail.
///
/// All that came in while a transaction was made goes into the next one. Of a transaction that fails, a
/// command that is kept goes back to the front, in order, and is tried again until it is written; any
/// other fails, and so does each one that comes while writes fail.
struct WriteQueueStateMachine<Command: Sendable>: Sendable {
    enum Action: Sendable {
        /// Make one transaction of these; without any, of a trial.
        case write([Command])
        /// Tell these commands that nothing was written.
        case refuse([Command], String)
        /// Try again after the delay of this trial, counted from 1.
        case wait(Int)
        /// Say once that writes fail, or that they succeed again.
        case tell(StoreNews)
    }

    private struct Entry: Sendable {
        let command: Command
        let isKept: Bool
    }

    private enum Phase {
        case idle
        case writing
        case waiting
        case lost
    }

    private var phase = Phase.idle
    private var pending: [Entry] = []
    private var batch: [Entry] = []
    private var failures = 0
    /// Why writes fail; nil while they succeed.
    private(set) var reason: String?

    /// How many commands wait to be written, or are being written, and are kept until they are.
    var keptCount: Int { pending.count { $0.isKept } + batch.count { $0.isKept } }

    /// A caller wants something written.
    ///
    /// - Parameters:
    ///   - command: What is written.
    ///   - isKept: Whether it is tried again until it is written.
    /// - Returns: What to do now.
    mutating func added(_ command: Command, isKept: Bool) -> [Action] {
        if let reason, !isKept || phase == .lost { return [.refuse([command], reason)] }
        pending.append(Entry(command: command, isKept: isKept))
        return phase == .idle ? [write()] : []
    }

    /// The transaction is in the file.
    mutating func written() -> [Action] {
        batch = []
        var actions: [Action] = []
        if reason != nil {
            reason = nil
            failures = 0
            actions.append(.tell(.back))
        }
        if pending.isEmpty {
            phase = .idle
        } else {
            actions.append(write())
        }
        return actions
    }

    /// The transaction was undone.
    mutating func failed(_ cause: String) -> [Action] {
        let all = batch + pending
        batch = []
        pending = all.filter(\.isKept)
        let refused = all.filter { !$0.isKept }.map(\.command)
        var actions: [Action] = refused.isEmpty ? [] : [.refuse(refused, cause)]
        if reason == nil { actions.append(.tell(.failing(cause))) }
        reason = cause
        failures += 1
        phase = .waiting
        return actions + [.wait(failures)]
    }

    /// The delay is over.
    mutating func waited() -> [Action] {
        phase == .waiting ? [write()] : []
    }

    /// The file is gone or is another one: nothing is written any more.
    mutating func lost(_ cause: String) -> [Action] {
        guard phase != .lost else { return [] }
        let all = (batch + pending).map(\.command)
        (batch, pending, phase, reason) = ([], [], .lost, cause)
        return [.refuse(all, cause), .tell(.lost(cause))]
    }

    private mutating func write() -> Action {
        phase = .writing
        (batch, pending) = (pending, [])
        return .write(batch.map(\.command))
    }
}

extension WriteQueueStateMachine.Action: Equatable where Command: Equatable {}
