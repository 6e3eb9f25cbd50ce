/// Decides which entries may overtake (X2, X4), and explains waits (X7).
extension KeyedQueueStateMachine {
    /// For each free pool of an entry, the entry behind which it waits.
    ///
    /// Empty if it can get all its keys, provided that none is held. This evaluates the earlier
    /// entries in order. Of those that wait for keys, only the first of each pool matters, because
    /// the others wait behind it.
    func blockers(of slot: Int) -> [Int: Int] {
        guard severalKeysCount > 0 else { return [:] }
        var (earlier, next, seen) = ([slot], 0, Set([slot]))
        while next < earlier.count {
            let entry = earlier[next]
            for pool in slots[entry].pools where pools[pool].isFree {
                earlier += rivals(of: entry, in: pool).filter { seen.insert($0).inserted }
            }
            next += 1
        }
        // For each pool, the first entry that waits for keys, and the held ones for which it waits.
        var first: [Int: (slot: Int, held: Set<Int>)] = [:]
        var blockers: [Int: Int] = [:]
        for entry in earlier.sorted(by: { slots[$0].order < slots[$1].order }) {
            var held = Set<Int>()
            blockers = [:]
            for pool in slots[entry].pools where lender(of: pool, for: entry) == nil {
                if !pools[pool].isFree {
                    held.insert(pool)
                } else if let other = first[pool], !isBelowHolder(entry, ofAny: other.held) {
                    held.formUnion(other.held)
                    blockers[pool] = other.slot
                }
            }
            guard !held.isEmpty else { continue }
            for pool in slots[entry].pools where first[pool] == nil { first[pool] = (entry, held) }
        }
        return blockers
    }

    /// The entries of a pool before another one that may wait for other keys.
    private func rivals(of slot: Int, in pool: Int) -> [Int] {
        if let (ticket, priority) = pools[pool].waiting.first,
            Self.waits(ticket, priority, in: pool, slots)
        {
            let first = ticket.slot
            if first == slot { return [] }
            // Usually, it waits for a key that is held. Then it is the first one.
            let lacks = { !pools[$0].isFree && lender(of: $0, for: first) == nil }
            if slots[first].pools.contains(where: lacks) { return [first] }
        }
        return pools[pool].others
            .filter { other in
                slots[other].isReady && slots[other].keys.count > 1
                    && slots[other].order < slots[slot].order
            }
    }

    /// Whether a job above an entry holds a permit of one of these pools.
    private func isBelowHolder(_ slot: Int, ofAny pools: Set<Int>) -> Bool {
        jobAbove(slot) { job in pools.contains { holds($0, job) } } != nil
    }

    /// Whether an entry holds a permit of a pool.
    func holds(_ pool: Int, _ slot: Int) -> Bool {
        slots[slot].state == .passedOn && (pool == 0 || slots[slot].pools.contains(pool))
    }

    /// The nearest job above an entry that satisfies a condition.
    func jobAbove(_ slot: Int, where condition: (Int) -> Bool) -> Int? {
        guard !slots[slot].jobs.isEmpty else { return nil }
        var (jobs, next, seen) = (slots[slot].jobs, 0, Set<Int>())
        while next < jobs.count {
            let job = jobs[next]
            next += 1
            guard isCurrent(job), seen.insert(job.slot).inserted else { continue }
            if condition(job.slot) { return job.slot }
            jobs += slots[job.slot].jobs
        }
        return nil
    }

    // MARK: Inspection

    private func inOrder(_ members: [Int]) -> [Ticket] {
        members.sorted { slots[$0].order < slots[$1].order }.map(ticket)
    }

    /// The entries with a key, or all entries, in their order.
    func entries(with key: Key? = nil) -> [Ticket] {
        if let key { return inOrder(users(of: key)) }
        return inOrder((0..<slots.endIndex).filter { slots[$0].state != .vacant })
    }

    /// The entries with exactly these keys, in their order.
    func duplicates(of keys: ShortList<Key>) -> [Ticket] {
        let wanted = Set(keys)
        guard let key = keys.first else { return [] }
        return inOrder(users(of: key).filter { Set(slots[$0].keys) == wanted })
    }

    private func users(of key: Key) -> [Int] {
        switch users[key] {
        case .pool(let pool): pools[pool].members
        case .entry(let slot): [slot]
        case nil: []
        }
    }

    /// Whether a ticket in the order of passing on belongs to an entry that has not ended.
    static func isTurn(_ ticket: Ticket, _ slots: StableList<Slot>) -> Bool {
        ticket.slot < slots.endIndex && slots[ticket.slot].turn == ticket.sequence
            && slots[ticket.slot].state == .passedOn
    }

    /// The reason why a ready entry waits.
    enum Wait {
        /// A key, and the entry that has held it since a time, or that gets it first if that is nil.
        case key(Key, Entry, since: CoarseTime.RawValue?)
        /// A permit of the queue, and the first entries that were passed on.
        case permit([Entry])
        case nothing
    }

    func wait(of ticket: Ticket, naming limit: Int) -> Wait {
        let slot = ticket.slot
        let held = slots[slot].pools
            .filter { !pools[$0].isFree && lender(of: $0, for: slot) == nil }
        let holders = held.flatMap { pool in pools[pool].holders.map { (pool: pool, slot: $0) } }
        // A job above the entry itself is named only if there is no other holder.
        let others = holders.filter { holder in jobAbove(slot) { $0 == holder.slot } == nil }
        let earlier = held.isEmpty ? blockers(of: slot).map { (pool: $0, slot: $1) } : holders
        if let first = (others.isEmpty ? earlier : others)
            .min(by: { slots[$0.slot].order < slots[$1.slot].order }),
            let key = pools[first.pool].key, let entry = slots[first.slot].entry
        {
            let isHeld = slots[first.slot].state == .passedOn
            return .key(key, entry, since: isHeld ? slots[first.slot].passedOnAt : nil)
        }
        guard !pools[0].isFree, lender(of: 0, for: slot) == nil else { return .nothing }
        var holding: [Entry] = []
        _ = turns.contains { turn in
            if Self.isTurn(turn, slots), let entry = slots[turn.slot].entry {
                holding.append(entry)
            }
            return holding.count == limit
        }
        return .permit(holding)
    }
}

extension KeyedQueueStateMachine.Wait: Sendable where Entry: Sendable, Key: Sendable {}
