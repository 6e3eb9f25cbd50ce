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
        case sleeping(Waiter, until: Duration)
        case watchingCount(Waiter)
        case watchingDeadline(Waiter, Duration)

        var waiter: Waiter? {
            switch self {
            case .announced, .cancelledEarly: nil
            case .sleeping(let waiter, _), .watchingCount(let waiter),
                .watchingDeadline(let waiter, _):
                waiter
            }
        }
    }

    private(set) var now = Duration.zero
    private var lastID: WaiterID = 0
    private var phases: [WaiterID: Phase] = [:]
    private var sleepers = WaiterHeap<Duration>()
    private var sleepersByDeadline: [Duration: Int] = [:]
    /// Those who wait for so many sleepers.
    private var countWatchers = WaiterHeap<Int>()
    private var deadlineWatchers: [Duration: Set<WaiterID>] = [:]

    var nextDeadline: Duration? { sleepers.first }

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
        phases[id] = .sleeping(waiter, until: deadline)
        sleepers.insert(id, deadline)
        sleepersByDeadline[deadline, default: 0] += 1
        return endWatches(of: deadline)
    }

    mutating func watchBegan(_ id: WaiterID, count: Int, waiter: Waiter) -> [Resumption] {
        if let ending = endingAtOnce(id, unless: count > sleepers.count) {
            return [Resumption(waiter: waiter, ending: ending)]
        }
        phases[id] = .watchingCount(waiter)
        countWatchers.insert(id, count)
        return []
    }

    mutating func watchBegan(
        _ id: WaiterID,
        deadline: Duration,
        waiter: Waiter
    ) -> [Resumption] {
        if let ending = endingAtOnce(id, unless: sleepersByDeadline[deadline] == nil) {
            return [Resumption(waiter: waiter, ending: ending)]
        }
        phases[id] = .watchingDeadline(waiter, deadline)
        deadlineWatchers[deadline, default: []].insert(id)
        return []
    }

    mutating func waitCancelled(_ id: WaiterID) -> [Resumption] {
        guard let phase = phases.removeValue(forKey: id) else { return [] }
        switch phase {
        case .announced, .cancelledEarly:
            phases[id] = .cancelledEarly
        case .sleeping(_, let deadline):
            sleepers.remove(id)
            noteSleepEnded(deadline)
        case .watchingCount:
            countWatchers.remove(id)
        case .watchingDeadline(_, let deadline):
            deadlineWatchers[deadline]?.remove(id)
            if deadlineWatchers[deadline]?.isEmpty == true { deadlineWatchers[deadline] = nil }
        }
        return resume(phase, .cancelled)
    }

    mutating func advanced(by duration: Duration) -> [Resumption] {
        now = now.adding(duration)
        var resumptions: [Resumption] = []
        while let id = sleepers.popFirst(reached: now) {
            guard let phase = phases.removeValue(forKey: id) else { continue }
            if case .sleeping(_, let deadline) = phase { noteSleepEnded(deadline) }
            resumptions += resume(phase, .due)
        }
        return resumptions
    }

    private func resume(_ phase: Phase, _ ending: ManualClockEnding) -> [Resumption] {
        phase.waiter.map { [Resumption(waiter: $0, ending: ending)] } ?? []
    }

    private mutating func noteSleepEnded(_ deadline: Duration) {
        let left = (sleepersByDeadline[deadline] ?? 1) - 1
        sleepersByDeadline[deadline] = left == 0 ? nil : left
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

    /// Ends the watches that a new sleeper with this deadline was waited for by, in the order in
    /// which they began.
    private mutating func endWatches(of deadline: Duration) -> [Resumption] {
        var ended = deadlineWatchers.removeValue(forKey: deadline) ?? []
        while let id = countWatchers.popFirst(reached: sleepers.count) { ended.insert(id) }
        return ended.sorted()
            .compactMap { phases.removeValue(forKey: $0) }
            .flatMap { resume($0, .due) }
    }
}

extension ManualClockStateMachine.Resumption: Equatable where Waiter: Equatable {}
