/// Lists entries, and explains why an entry waits.
extension KeyedQueueStateMachine {
    /// The entries of a lane: first those that were passed on, in that order, then those that wait.
    private func members(of lane: Int) -> [Ticket] {
        let all = (lanes[lane].member.map { [$0] } ?? []) + lanes[lane].members
        return sorted(all.filter(isCurrent))
    }

    private func sorted(_ tickets: [Ticket]) -> [Ticket] {
        tickets.sorted { left, right in
            let (left, right) = (slots[left.slot], slots[right.slot])
            guard left.state == .passedOn else {
                return right.state != .passedOn && left.order < right.order
            }
            return right.state != .passedOn || left.turn < right.turn
        }
    }

    /// The entries with a key: first those that were passed on, in that order, then those that
    /// wait.
    func entries(with key: Key) -> [Ticket] { laneOfKey[key].map(members) ?? [] }

    /// All entries, in the same order.
    var entries: [Ticket] { sorted(slots.indices.map(ticket).filter(isCurrent)) }

    /// The entries with exactly these keys, in the same order.
    func duplicates(of keys: [Key]) -> [Ticket] {
        let wanted = Set(keys.compactMap { laneOfKey[$0] })
        guard let lane = wanted.first, wanted.count == keys.count else { return [] }
        return members(of: lane)
            .filter { ticket in
                let keys = slots[ticket.slot].keys
                return keys.count == wanted.count && keys.allSatisfy { wanted.contains($0.lane) }
            }
    }

    func isPassedOn(_ ticket: Ticket) -> Bool { slots[ticket.slot].state == .passedOn }

    /// Whether the entry is one of the given jobs, or a job above them.
    func isAbove(_ ticket: Ticket, _ jobs: [Ticket]) -> Bool {
        jobs.contains { job in
            job == ticket || isCurrent(job) && isAbove(ticket.slot, job.slot)
        }
    }

    /// The reason why a ready entry waits.
    enum Wait {
        case resumption
        /// A key, and the entry that holds it.
        case key(Key, Entry, since: CoarseTime.RawValue)
        /// A key that is free, and an earlier entry that gets it first.
        case turn(Key, behind: Entry)
        /// A permit of the queue, and the first entries that were passed on.
        case place([Entry])
        case nothing
    }

    func wait(of ticket: Ticket, naming limit: Int) -> Wait {
        if isSuspended { return .resumption }
        let keys = slots[ticket.slot].keys
            .filter { lender(of: $0.lane, for: ticket.slot) == nil }
        if let (lane, holder) = holder(of: keys.map(\.lane), besidesJobsAbove: ticket.slot),
            let key = lanes[lane].key, let entry = slots[holder].entry
        {
            return .key(key, entry, since: slots[holder].passedOnAt)
        }
        var known: [Int: Bool] = [:]
        for permit in keys {
            guard let other = blocker(of: ticket.slot, in: permit.lane, &known),
                let key = lanes[permit.lane].key, let entry = slots[other].entry
            else { continue }
            return .turn(key, behind: entry)
        }
        guard !lanes[0].isFree, lender(of: 0, for: ticket.slot) == nil else { return .nothing }
        return .place(members(of: 0).prefix(limit).compactMap { slots[$0.slot].entry })
    }

    /// The entry that has held one of the given lanes the longest.
    ///
    /// A job above the entry itself is returned only if there is no other.
    private func holder(
        of lanes: [Int],
        besidesJobsAbove slot: Int
    ) -> (lane: Int, holder: Int)? {
        let holders = lanes.filter { !self.lanes[$0].isFree }
            .flatMap { lane in
                ((self.lanes[lane].holder.map { [$0] } ?? []) + self.lanes[lane].holders)
                    .map { (lane: lane, holder: $0) }
            }
        let others = holders.filter { !isAbove($0.holder, slot) }
        return (others.isEmpty ? holders : others)
            .min { slots[$0.holder].turn < slots[$1.holder].turn }
    }
}

extension KeyedQueueStateMachine.Wait: Sendable where Entry: Sendable, Key: Sendable {}
