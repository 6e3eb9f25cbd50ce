/// What the machine says of its entries.
extension TaskQueueStateMachine {
    /// Takes the entry of ``nextSlot()``.
    mutating func next() -> Entry? { nextSlot().flatMap { slots[$0].entry } }

    func ticket(_ slot: Int) -> Ticket { slots[slot].ticket(slot) }

    /// Whether the ticket's entry still stands in the queue.
    func isCurrent(_ ticket: Ticket) -> Bool { slots.stands(ticket) }

    /// Whether the entry waits to become ready.
    func isWaiting(_ slot: Int) -> Bool { slots[slot].state == .waiting }

    /// The entries that stand in the queue, in the order added.
    var entries: [Entry] {
        slots.filter { $0.state != .vacant }.sorted { $0.sequence < $1.sequence }
            .compactMap(\.entry)
    }

    /// The entries that wait, then those that are executing: where they are cancelled in this
    /// order, a place that becomes free finds nothing left to run.
    var entriesToCancel: [Entry] {
        let sorted = slots.filter { $0.state != .vacant }.sorted { $0.sequence < $1.sequence }
        return (sorted.filter { $0.state != .executing } + sorted.filter { $0.state == .executing })
            .compactMap(\.entry)
    }

    /// The entries that could be started, or could if there were a place.
    var readyEntries: [Entry] {
        slots.filter { $0.state == .ready || $0.state == .granted }.compactMap(\.entry)
    }
}
