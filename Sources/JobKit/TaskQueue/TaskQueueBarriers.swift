/// The epochs of a queue: one for each barrier, and one for the entries between two barriers.
struct TaskQueueBarriers: Sendable {
    /// The number of the epoch whose entries may start.
    private(set) var current = 0
    private var last = 0
    /// How many entries of the current epoch have not finished.
    private var unfinished = 0
    /// The unfinished and the blocked entries of the epochs after the current one, by number.
    private var later: [Int: (unfinished: Int, blocked: [TaskQueueTicket])] = [:]

    /// Whether the queue contains a barrier.
    var hasBarrier: Bool { last > current }

    /// Counts an entry and returns its epoch, which is the last one.
    mutating func entryAdded() -> Int {
        if hasBarrier { later[last, default: (0, [])].unfinished += 1 } else { unfinished += 1 }
        return last
    }

    /// Counts a barrier and returns its epoch.
    mutating func barrierAdded() -> Int {
        let openInLast = hasBarrier ? later[last]?.unfinished ?? 0 : unfinished
        if openInLast > 0 { last += 1 }
        let epoch = entryAdded()
        last += 1
        return epoch
    }

    /// Moves the task of an executing job from a later epoch to the current one.
    ///
    /// Otherwise, the barrier would wait for the job, and the job for its task.
    mutating func entryMovedToCurrent(from epoch: Int) {
        later[epoch]?.unfinished -= 1
        unfinished += 1
    }

    mutating func block(_ ticket: TaskQueueTicket, epoch: Int) {
        later[epoch]?.blocked.append(ticket)
    }

    /// Counts a finished entry and returns the blocked entries that may start now.
    mutating func entryFinished(epoch: Int) -> [TaskQueueTicket] {
        guard epoch == current else {
            later[epoch]?.unfinished -= 1
            return []
        }
        unfinished -= 1
        var released: [TaskQueueTicket] = []
        while unfinished == 0, hasBarrier {
            current += 1
            let next = later.removeValue(forKey: current)
            unfinished = next?.unfinished ?? 0
            released += next?.blocked ?? []
        }
        return released
    }
}
