/// Why a task that waited on a manual clock goes on.
enum ManualClockEnding: Sendable {
    case due
    case cancelled
}

/// Decides who sleeps until when on a manual clock, and who is resumed.
///
/// A wait is announced before its waiter exists, so that a cancellation which overtakes the
/// beginning of the wait is remembered, and one which comes after its end is told from it.
struct ManualClockStateMachine<Waiter: Sendable>: Sendable {
    typealias WaiterID = Int

    struct Resumption {
        let waiter: Waiter
        let ending: ManualClockEnding
    }

    private enum Phase {
        case announced
        case cancelledEarly
        case sleeping(until: Duration)
        case watching
    }

    private struct Sleeper {
        let deadline: Duration
        let id: WaiterID
        let waiter: Waiter
    }

    private struct Watcher {
        let count: Int
        let id: WaiterID
        let waiter: Waiter
    }

    private(set) var now = Duration.zero
    private var lastID: WaiterID = 0
    private var phases: [WaiterID: Phase] = [:]
    /// By deadline, then by id.
    private var sleepers: [Sleeper] = []
    private var watchers: [Watcher] = []

    var nextDeadline: Duration? { sleepers.first?.deadline }

    /// Whether nobody waits, sleeping or watching.
    var isIdle: Bool { phases.isEmpty }

    mutating func waitAnnounced() -> WaiterID {
        lastID += 1
        phases[lastID] = .announced
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
        phases[id] = .sleeping(until: deadline)
        let sleeper = Sleeper(deadline: deadline, id: id, waiter: waiter)
        sleepers.insert(sleeper, at: place(of: id, deadline: deadline))
        return endWatches()
    }

    mutating func watchBegan(_ id: WaiterID, count: Int, waiter: Waiter) -> [Resumption] {
        if let ending = endingAtOnce(id, unless: count > sleepers.count) {
            return [Resumption(waiter: waiter, ending: ending)]
        }
        phases[id] = .watching
        watchers.append(Watcher(count: count, id: id, waiter: waiter))
        return []
    }

    mutating func waitCancelled(_ id: WaiterID) -> [Resumption] {
        switch phases.removeValue(forKey: id) {
        case nil:
            return []
        case .announced, .cancelledEarly:
            phases[id] = .cancelledEarly
            return []
        case .sleeping(let deadline):
            let sleeper = sleepers.remove(at: place(of: id, deadline: deadline))
            return [Resumption(waiter: sleeper.waiter, ending: .cancelled)]
        case .watching:
            let cancelled = watchers.filter { $0.id == id }
            watchers.removeAll { $0.id == id }
            return cancelled.map { Resumption(waiter: $0.waiter, ending: .cancelled) }
        }
    }

    mutating func advanced(by duration: Duration) -> [Resumption] {
        now += duration
        let due = sleepers.prefix { $0.deadline <= now }
        sleepers.removeFirst(due.count)
        return due.map { sleeper in
            phases[sleeper.id] = nil
            return Resumption(waiter: sleeper.waiter, ending: .due)
        }
    }

    /// Ends an announced wait that was cancelled, or that has nothing to wait for.
    private mutating func endingAtOnce(_ id: WaiterID, unless mustWait: Bool) -> ManualClockEnding?
    {
        guard case .announced? = phases[id] else {
            phases[id] = nil
            return .cancelled
        }
        guard !mustWait else { return nil }
        phases[id] = nil
        return .due
    }

    private mutating func endWatches() -> [Resumption] {
        guard watchers.contains(where: { $0.count <= sleepers.count }) else { return [] }
        let ended = watchers.filter { $0.count <= sleepers.count }
        watchers.removeAll { $0.count <= sleepers.count }
        return ended.map { watcher in
            phases[watcher.id] = nil
            return Resumption(waiter: watcher.waiter, ending: .due)
        }
    }

    /// Where the sleeper stands, or belongs, in ``sleepers``.
    private func place(of id: WaiterID, deadline: Duration) -> Int {
        var lower = 0
        var upper = sleepers.count
        while lower < upper {
            let middle = (lower + upper) / 2
            let other = sleepers[middle]
            if (other.deadline, other.id) < (deadline, id) {
                lower = middle + 1
            } else {
                upper = middle
            }
        }
        return lower
    }
}

extension ManualClockStateMachine.Resumption: Equatable where Waiter: Equatable {}
