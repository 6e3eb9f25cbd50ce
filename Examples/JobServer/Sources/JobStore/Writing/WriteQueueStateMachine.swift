/// Decides when commands are written, and handles them while writes fail.
///
/// All commands that arrive during a transaction go into the next one. If a transaction fails, its
/// kept commands return to the front of the queue in order, and are tried again until they are
/// written. All other commands fail, including those that arrive while writes fail.
struct WriteQueueStateMachine<Command: Sendable>: Sendable {
    enum Action: Sendable {
        /// Make one transaction of these commands.
        ///
        /// If there are none, make a trial write.
        case write([Command])
        /// Report to these commands that nothing was written.
        case refuse([Command], String)
        /// Try again after the delay of this trial, counted from 1.
        case wait(Int)
        /// Report once that writes fail, or that they succeed again.
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
    /// The reason why writes fail, or nil while they succeed.
    private(set) var reason: String?

    /// The number of kept commands that are waiting or being written.
    var keptCount: Int { pending.count { $0.isKept } + batch.count { $0.isKept } }

    /// Adds a command.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - isKept: Whether it is tried again until it is written.
    /// - Returns: The actions to carry out.
    mutating func added(_ command: Command, isKept: Bool) -> [Action] {
        if let reason, !isKept || phase == .lost { return [.refuse([command], reason)] }
        pending.append(Entry(command: command, isKept: isKept))
        return phase == .idle ? [write()] : []
    }

    /// Completes the transaction, which is in the file.
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

    /// Handles a transaction that was undone.
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

    /// Tries again after the delay.
    mutating func waited() -> [Action] {
        phase == .waiting ? [write()] : []
    }

    /// Stops all writes, because the file is gone or was replaced.
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
