/// The reason why a Swift task's wait on a manual clock ends.
enum ManualClockEnding: Sendable {
    case due
    case cancelled
}

/// Decides how long Swift tasks sleep on a manual clock, and which are resumed.
///
/// A wait has a number before it begins, because the Swift task may be cancelled at any time. A
/// cancellation after the wait has ended is ignored.
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

    /// The condition that a watcher waits for.
    enum Goal: Sendable {
        /// At least this number of sleepers.
        case sleepers(Int)
        /// A sleeper with exactly this deadline.
        case deadline(Duration)
    }

    private(set) var now = Duration.zero
    private var lastID: WaiterID = 0
    /// The sleepers by deadline, the earliest first.
    ///
    /// Sleepers with the same deadline are in the order in which they began.
    private var sleepers: [Wait<Duration>] = []
    /// The watchers in the order in which they began.
    private var watchers: [Wait<Goal>] = []

    var nextDeadline: Duration? { sleepers.first?.goal }

    /// Returns the number of a wait that is about to begin.
    mutating func nextID() -> WaiterID {
        lastID += 1
        return lastID
    }

    mutating func sleepBegan(
        _ id: WaiterID,
        until deadline: Duration,
        waiter: Waiter
    ) -> [Resumption] {
        guard deadline > now else { return [Resumption(waiter: waiter, ending: .due)] }
        let index = sleepers.lastIndex { $0.goal <= deadline }.map { $0 + 1 } ?? 0
        sleepers.insert(Wait(id: id, goal: deadline, waiter: waiter), at: index)
        let all = watchers
        watchers = all.filter { !isReached($0.goal) }
        return all.filter { isReached($0.goal) }.map { Resumption(waiter: $0.waiter, ending: .due) }
    }

    mutating func watchBegan(_ id: WaiterID, for goal: Goal, waiter: Waiter) -> [Resumption] {
        guard !isReached(goal) else { return [Resumption(waiter: waiter, ending: .due)] }
        watchers.append(Wait(id: id, goal: goal, waiter: waiter))
        return []
    }

    mutating func waitCancelled(_ id: WaiterID) -> [Resumption] {
        if let index = sleepers.firstIndex(where: { $0.id == id }) {
            return [Resumption(waiter: sleepers.remove(at: index).waiter, ending: .cancelled)]
        }
        if let index = watchers.firstIndex(where: { $0.id == id }) {
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
}

extension ManualClockStateMachine.Resumption: Equatable where Waiter: Equatable {}
