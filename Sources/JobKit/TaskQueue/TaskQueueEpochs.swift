/// The stretches of a queue between its barriers; a barrier is a stretch of its own.
struct TaskQueueEpochs: Sendable {
    private struct Epoch: Sendable {
        var unfinished = 0
        var parked: [TaskQueueTicket] = []
    }

    /// The number of the epoch whose entries may start.
    private(set) var current = 0
    private var unfinished = 0
    /// Empty in a queue without barriers.
    private var later: [Epoch] = []

    /// Whether a barrier stands in the queue.
    var hasBarrier: Bool { !later.isEmpty }

    /// Counts an entry and returns its epoch: the last.
    mutating func entryAdded() -> Int {
        guard hasBarrier else {
            unfinished += 1
            return current
        }
        later[later.count - 1].unfinished += 1
        return current + later.count
    }

    /// Counts a barrier and returns its epoch.
    mutating func barrierAdded() -> Int {
        let openInLast = later.last?.unfinished ?? unfinished
        if openInLast > 0 { later.append(Epoch()) }
        if hasBarrier {
            later[later.count - 1].unfinished += 1
        } else {
            unfinished += 1
        }
        later.append(Epoch())
        return current + later.count - 1
    }

    /// An entry of a later epoch is the task of a job that executes: a barrier waits for the job, and
    /// the job for its task.
    mutating func entryMovedToCurrent(from epoch: Int) {
        later[epoch - current - 1].unfinished -= 1
        unfinished += 1
    }

    mutating func park(_ ticket: TaskQueueTicket, epoch: Int) {
        later[epoch - current - 1].parked.append(ticket)
    }

    /// Returns the parked entries that may start now; nil for none.
    mutating func entryFinished(epoch: Int) -> [TaskQueueTicket]? {
        guard epoch == current else {
            later[epoch - current - 1].unfinished -= 1
            return nil
        }
        unfinished -= 1
        guard unfinished == 0, hasBarrier else { return nil }
        var released: [TaskQueueTicket] = []
        while unfinished == 0, hasBarrier {
            let next = later.removeFirst()
            current += 1
            unfinished = next.unfinished
            released += next.parked
        }
        return released
    }
}
