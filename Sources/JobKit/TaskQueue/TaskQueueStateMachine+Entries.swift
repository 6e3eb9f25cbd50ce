/// Queries about the entries.
extension TaskQueueStateMachine {
    func ticket(_ slot: Int) -> Ticket { slots[slot].ticket(slot) }

    /// Whether the ticket's entry is still in the queue.
    func isCurrent(_ ticket: Ticket) -> Bool { slots.isCurrent(ticket) }

    /// Whether the entry waits to become ready.
    func isWaiting(_ slot: Int) -> Bool { slots[slot].state == .waiting }

    /// The entries in the queue, in the order added.
    var entries: [Entry] {
        slots.filter { $0.state != .vacant }.sorted { $0.sequence < $1.sequence }
            .compactMap(\.entry)
    }

    /// The waiting entries, followed by the executing ones.
    ///
    /// If they are cancelled in this order, a permit that becomes free finds nothing left to run.
    var entriesToCancel: [Entry] {
        let sorted = slots.filter { $0.state != .vacant }.sorted { $0.sequence < $1.sequence }
        return (sorted.filter { $0.state != .executing } + sorted.filter { $0.state == .executing })
            .compactMap(\.entry)
    }

    /// The entries in a range of slots that were not started, and the slot at which to continue.
    func unstarted(from start: Int, _ count: Int) -> (entries: [Entry], next: Int) {
        let first = start < slots.count ? start : 0
        let range = first..<min(slots.count, first + count)
        let states: [Slot.State] = [.waiting, .blocked, .ready, .reserved]
        return (
            slots[range].filter { states.contains($0.state) }.compactMap(\.entry), range.endIndex
        )
    }

    /// The entries that could be started, if necessary after a permit becomes free.
    var readyEntries: [Entry] {
        slots.filter { $0.state == .ready || $0.state == .reserved }.compactMap(\.entry)
    }

    /// The reasons why ready entries are not started.
    struct Stall {
        let isSuspended: Bool
        /// Whether all permits are taken.
        let isFull: Bool
        let executingCount: Int
        /// The first executing entries, if the queue is full or entries wait for a barrier.
        let executing: [Entry]
        /// The ready entries behind a barrier.
        let blocked: [Entry]
    }

    /// Returns the reasons why ready entries are not started, with at most `limit` executing
    /// entries.
    func stall(naming limit: Int) -> Stall {
        let (isFull, hasBarrier) = (permits.taken >= concurrencyLimit, hasBarrier)
        var executing: [Slot] = []
        var blocked: [Entry] = []
        if !isSuspended, isFull || hasBarrier {
            var holders = 0
            for index in slots.indices {
                if slots[index].state == .blocked, let entry = slots[index].entry {
                    blocked.append(entry)
                }
                let sharers = permits.executing(withPermitOf: index, slots)
                guard !sharers.isEmpty else { continue }
                executing += sharers
                holders += 1
                if !hasBarrier, holders == permits.taken || executing.count >= limit { break }
            }
        }
        executing.sort { $0.sequence < $1.sequence }
        return Stall(
            isSuspended: isSuspended,
            isFull: isFull,
            executingCount: max(permits.taken, executing.count),
            executing: executing.prefix(limit).compactMap(\.entry),
            blocked: blocked
        )
    }
}
