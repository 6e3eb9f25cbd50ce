/// Why a task that waited on a manual clock goes on.
enum ManualClockEnding: Sendable {
    case due
    case cancelled
}

/// Decides which tasks sleep until when on a manual clock, and which are resumed.
///
/// A wait is announced before its waiter exists, so that a cancellation which overtakes the
/// beginning of the wait is remembered, and one which comes after its end is told from it.
struct ManualClockStateMachine<Waiter: Sendable>: Sendable {
    typealias WaiterID = Int

    struct Resumption {
        let waiter: Waiter
        let ending: ManualClockEnding
    }

    private struct Wait<Goal: Sendable>: Sendable {
        let id: WaiterID
        let goal: Goal
        let waiter: Waiter
    }

    /// What a watcher waits for.
    enum Goal: Sendable {
        /// So many sleepers.
        case sleepers(Int)
        /// A sleeper until exactly then.
        case deadline(Duration)
    }

    private(set) var now = Duration.zero
    private var lastID: WaiterID = 0
    /// The waits that have not begun, and whether they were cancelled.
    private var announced: [WaiterID: Bool] = [:]
    /// By deadline, the earliest first, and within a deadline in the order in which they began.
    private var sleepers: [Wait<Duration>] = []
    /// In the order in which they began.
    private var watchers: [Wait<Goal>] = []

    var nextDeadline: Duration? { sleepers.first?.goal }

    mutating func waitAnnounced() -> WaiterID {
        lastID += 1
        announced[lastID] = false
        return lastID
    }

    mutating func sleepBegan(
        _ id: WaiterID,
        until deadline: Duration,
        waiter: Waiter
    ) -> [Resumption] {
        if let ending = endingAtOnce(id, unless: deadline > now) {
            return [Resumption(waiter: waiter, ending: ending)]
        }
        let index = sleepers.lastIndex { $0.goal <= deadline }.map { $0 + 1 } ?? 0
        sleepers.insert(Wait(id: id, goal: deadline, waiter: waiter), at: index)
        let all = watchers
        watchers = all.filter { !isReached($0.goal) }
        return all.filter { isReached($0.goal) }.map { Resumption(waiter: $0.waiter, ending: .due) }
    }

    mutating func watchBegan(_ id: WaiterID, for goal: Goal, waiter: Waiter) -> [Resumption] {
        if let ending = endingAtOnce(id, unless: !isReached(goal)) {
            return [Resumption(waiter: waiter, ending: ending)]
        }
        watchers.append(Wait(id: id, goal: goal, waiter: waiter))
        return []
    }

    mutating func waitCancelled(_ id: WaiterID) -> [Resumption] {
        if announced[id] != nil {
            announced[id] = true
        } else if let index = sleepers.firstIndex(where: { $0.id == id }) {
            return [Resumption(waiter: sleepers.remove(at: index).waiter, ending: .cancelled)]
        } else if let index = watchers.firstIndex(where: { $0.id == id }) {
            return [Resumption(waiter: watchers.remove(at: index).waiter, ending: .cancelled)]
        }
        return []
    }

    mutating func advanced(by duration: Duration) -> [Resumption] {
        now = now.adding(duration)
        let due = sleepers.prefix { $0.goal <= now }
        sleepers.removeFirst(due.count)
        return due.map { Resumption(waiter: $0.waiter, ending: .due) }
    }

    private func isReached(_ goal: Goal) -> Bool {
        switch goal {
        case .sleepers(let count): sleepers.count >= count
        case .deadline(let deadline): sleepers.contains { $0.goal == deadline }
        }
    }

    /// Ends an announced wait that was cancelled, or that has nothing to wait for.
    private mutating func endingAtOnce(_ id: WaiterID, unless mustWait: Bool) -> ManualClockEnding?
    {
        guard announced.removeValue(forKey: id) == false else { return .cancelled }
        return mustWait ? nil : .due
    }
}

extension ManualClockStateMachine.Resumption: Equatable where Waiter: Equatable {}
