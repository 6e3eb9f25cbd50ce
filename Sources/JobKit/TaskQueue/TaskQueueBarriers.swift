/// The epochs of a queue: one for each barrier, and one for the entries between two barriers.
struct TaskQueueBarriers: Sendable {
    private struct Epoch: Sendable {
        var unfinished = 0
        var blocked: [TaskQueueTicket] = []
    }

    /// The number of the epoch whose entries may start.
    private(set) var current = 0
    private var unfinished = 0
    /// The epochs after the current one, behind the ``passed`` ones, or none without barriers.
    private var later: [Epoch] = []
    /// How many leading epochs of ``later`` have passed and are not yet removed, in batches.
    private var passed = 0

    /// Whether the queue contains a barrier.
    var hasBarrier: Bool { later.count > passed }

    /// Counts an entry and returns its epoch, which is the last one.
    mutating func entryAdded() -> Int {
        guard hasBarrier else {
            unfinished += 1
            return current
        }
        later[later.count - 1].unfinished += 1
        return last
    }

    /// Counts a barrier and returns its epoch.
    mutating func barrierAdded() -> Int {
        let openInLast = hasBarrier ? later[later.count - 1].unfinished : unfinished
        if openInLast > 0 { later.append(Epoch()) }
        let epoch = entryAdded()
        later.append(Epoch())
        return epoch
    }

    /// Moves the task of an executing job from a later epoch to the current one.
    ///
    /// Otherwise, the barrier would wait for the job, and the job for its task.
    mutating func entryMovedToCurrent(from epoch: Int) {
        later[index(of: epoch)].unfinished -= 1
        unfinished += 1
    }

    mutating func block(_ ticket: TaskQueueTicket, epoch: Int) {
        later[index(of: epoch)].blocked.append(ticket)
    }

    /// Counts a finished entry and returns the blocked entries that may start now, or nil.
    mutating func entryFinished(epoch: Int) -> [TaskQueueTicket]? {
        guard epoch == current else {
            later[index(of: epoch)].unfinished -= 1
            return nil
        }
        unfinished -= 1
        guard unfinished == 0, hasBarrier else { return nil }
        var released: [TaskQueueTicket] = []
        while unfinished == 0, hasBarrier {
            unfinished = later[passed].unfinished
            released += later[passed].blocked
            later[passed].blocked = []
            passed += 1
            current += 1
        }
        if passed > later.count / 2 {
            later.removeFirst(passed)
            passed = 0
        }
        return released
    }

    private var last: Int { current + later.count - passed }

    private func index(of epoch: Int) -> Int { epoch - current - 1 + passed }
}
