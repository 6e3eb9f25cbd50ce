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

    /// Whether the ticket's entry is in the queue and was not started.
    func isUnstarted(_ ticket: Ticket) -> Bool {
        let states: [Slot.State] = [.waiting, .blocked, .ready, .reserved]
        return isCurrent(ticket) && states.contains(slots[ticket.slot].state)
    }

    /// The entries that could be started, if necessary after a permit becomes free.
    var readyEntries: [Entry] {
        slots.filter { $0.state == .ready || $0.state == .reserved }.compactMap(\.entry)
    }

    /// Returns the reasons why ready entries are not started.
    ///
    /// - Parameter limit: How many executing entries are returned at most.
    /// - Returns: Whether all permits are taken, how many entries execute, the first of these if
    ///   the queue is full or has a barrier, and the ready entries behind a barrier.
    func stall(
        naming limit: Int
    ) -> (isFull: Bool, executingCount: Int, executing: [Entry], blocked: [Entry]) {
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
        return (
            isFull, max(permits.taken, executing.count),
            executing.prefix(limit).compactMap(\.entry), blocked
        )
    }
}
