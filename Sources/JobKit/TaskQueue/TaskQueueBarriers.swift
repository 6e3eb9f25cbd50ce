/// The stretches of a queue between its barriers; a barrier is a stretch of its own.
struct TaskQueueBarriers: Sendable {
    private struct Epoch: Sendable {
        var unfinished = 0
        var parked: [TaskQueueTicket] = []
    }

    /// The number of the epoch whose entries may start.
    private(set) var current = 0
    private var unfinished = 0
    /// The epochs after the current one, behind the ``passed`` ones; none in a queue without
    /// barriers.
    private var later: [Epoch] = []
    /// How many leading epochs of ``later`` have passed; they are removed in batches.
    private var passed = 0

    /// Whether a barrier stands in the queue.
    var hasBarrier: Bool { later.count > passed }

    /// Counts an entry and returns its epoch: the last.
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

    /// An entry of a later epoch is the task of a job that executes: a barrier waits for the job,
    /// and the job for its task.
    mutating func entryMovedToCurrent(from epoch: Int) {
        later[index(of: epoch)].unfinished -= 1
        unfinished += 1
    }

    mutating func park(_ ticket: TaskQueueTicket, epoch: Int) {
        later[index(of: epoch)].parked.append(ticket)
    }

    /// Returns the parked entries that may start now; nil for none.
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
            released += later[passed].parked
            later[passed].parked = []
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
