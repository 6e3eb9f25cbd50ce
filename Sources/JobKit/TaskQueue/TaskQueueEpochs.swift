/// The stretches of a queue between its barriers; a barrier is a stretch of its own.
struct TaskQueueEpochs: Sendable {
    private struct Epoch: Sendable {
        var unfinished = 0
        var parked: [TaskQueueTicket] = []
    }

    /// The number of the epoch whose entries may start.
    private(set) var current = 0
    private var epochs = [Epoch()]

    /// Whether a barrier stands in the queue.
    var hasBarrier: Bool { epochs.count > 1 }

    /// Counts an entry and returns its epoch: the last, or the current one for a task of a job that
    /// executes, because a barrier waits for the job and the job for its task.
    mutating func entryAdded(belongsToExecutingJob: Bool = false) -> Int {
        let index = belongsToExecutingJob ? 0 : epochs.count - 1
        epochs[index].unfinished += 1
        return current + index
    }

    /// Counts a barrier and returns its epoch.
    mutating func barrierAdded() -> Int {
        if epochs.count > 1 || epochs[0].unfinished > 0 { epochs.append(Epoch()) }
        epochs[epochs.count - 1].unfinished += 1
        epochs.append(Epoch())
        return current + epochs.count - 2
    }

    mutating func park(_ ticket: TaskQueueTicket, epoch: Int) {
        epochs[epoch - current].parked.append(ticket)
    }

    /// Returns the parked entries that may start now.
    mutating func entryFinished(epoch: Int) -> [TaskQueueTicket] {
        epochs[epoch - current].unfinished -= 1
        var released: [TaskQueueTicket] = []
        while epochs.count > 1, epochs[0].unfinished == 0 {
            epochs.removeFirst()
            current += 1
            released += epochs[0].parked
            epochs[0].parked = []
        }
        return released
    }
}
