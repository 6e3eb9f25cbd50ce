/// Decides the order in a key (X2) and which entries may overtake (X4), and explains waits (X7).
extension KeyedQueueStateMachine {
    /// Whether the entry can get a permit of each of its keys now.
    mutating func hasKeys(_ slot: Int) -> Bool {
        for pool in slots[slot].pools where lender(of: pool, for: slot) == nil {
            guard pools[pool].isFree else { return false }
            guard let first = firstWaiting(for: pool), slots[first].order < slots[slot].order else {
                continue
            }
            // A task of a job may overtake some of the entries before it. Other entries cannot.
            var known: [Int: Bool] = [:]
            if slots[slot].jobs.isEmpty || blocker(of: slot, in: pool, &known) != nil {
                return false
            }
        }
        return true
    }

    /// An earlier entry that waits for keys and prevents this one from using a pool.
    private func blocker(of slot: Int, in pool: Int, _ known: inout [Int: Bool]) -> Int? {
        var found: Int?
        _ = pools[pool].waiting
            .contains { ticket, priority in
                let other = ticket.slot
                guard Self.waits(ticket, priority, in: pool, slots),
                    slots[other].order < slots[slot].order, waitsForKeys(other, &known),
                    !isExempt(slot, from: other)
                else { return false }
                found = other
                return true
            }
        return found
    }

    /// Whether a blocked entry waits for keys, and not only for a permit of the queue.
    private func waitsForKeys(_ slot: Int, _ known: inout [Int: Bool]) -> Bool {
        if let known = known[slot] { return known }
        let waits = slots[slot].pools
            .contains { pool in
                lender(of: pool, for: slot) == nil
                    && (!pools[pool].isFree || blocker(of: slot, in: pool, &known) != nil)
            }
        known[slot] = waits
        return waits
    }

    /// Whether `slot` need not wait behind `other`, because `other` waits for a key that a job above
    /// `slot` holds, directly or behind the first that waits for another of its keys.
    private func isExempt(_ slot: Int, from other: Int) -> Bool {
        guard !slots[slot].jobs.isEmpty else { return false }
        var (pending, seen) = ([other], Set([other]))
        while let next = pending.popLast() {
            for pool in slots[next].pools where lender(of: pool, for: next) == nil {
                if !pools[pool].isFree {
                    if jobAbove(slot, where: { holds(pool, $0) }) != nil { return true }
                } else if let first = firstBlocked(in: pool, before: next),
                    seen.insert(first).inserted
                {
                    pending.append(first)
                }
            }
        }
        return false
    }

    /// The first blocked entry of a pool, if it comes before another entry.
    private func firstBlocked(in pool: Int, before slot: Int) -> Int? {
        pools[pool].members
            .filter { slots[$0].state == .blocked && slots[$0].order < slots[slot].order }
            .min { slots[$0].order < slots[$1].order }
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

    /// First the entries that were passed on, in that order, then those that wait.
    private func sorted(_ members: [Int]) -> [Ticket] {
        members
            .sorted { left, right in
                let (left, right) = (slots[left], slots[right])
                guard left.state == .passedOn, right.state == .passedOn else {
                    return left.state == .passedOn
                        || right.state != .passedOn && left.order < right.order
                }
                return left.turn < right.turn
            }
            .map(ticket)
    }

    /// The entries with a key, or all entries, in this order.
    func entries(with key: Key? = nil) -> [Ticket] {
        guard let key else { return sorted(slots.indices.filter { slots[$0].state != .vacant }) }
        return sorted(poolOfKey[key].map { pools[$0].members } ?? [])
    }

    /// The entries with exactly these keys, in this order.
    func duplicates(of keys: [Key]) -> [Ticket] {
        let wanted = Set(keys.compactMap { poolOfKey[$0] })
        let counts = wanted.map { (pool: $0, count: pools[$0].otherMembers.count) }
        guard wanted.count == keys.count, let fewest = counts.min(by: { $0.count < $1.count })
        else { return [] }
        return sorted(pools[fewest.pool].members.filter { Set(slots[$0].pools) == wanted })
    }

    /// The reason why a ready entry waits.
    enum Wait {
        /// A key, and the entry that has held it since a time.
        case key(Key, Entry, since: CoarseTime.RawValue)
        /// A key that is free, and an earlier entry that gets it first.
        case turn(Key, behind: Entry)
        /// A permit of the queue, and the first entries that were passed on.
        case permit([Entry])
        case nothing
    }

    func wait(of ticket: Ticket, naming limit: Int) -> Wait {
        let slot = ticket.slot
        let lacking = slots[slot].pools.filter { lender(of: $0, for: slot) == nil }
        let holders = lacking.filter { !pools[$0].isFree }
            .flatMap { pool in
                pools[pool].members.filter { holds(pool, $0) }.map { (pool: pool, slot: $0) }
            }
        // A job above the entry itself is named only if there is no other holder.
        let others = holders.filter { holder in jobAbove(slot) { $0 == holder.slot } == nil }
        if let first = (others.isEmpty ? holders : others)
            .min(by: { slots[$0.slot].turn < slots[$1.slot].turn }),
            let key = pools[first.pool].key, let entry = slots[first.slot].entry
        {
            return .key(key, entry, since: slots[first.slot].passedOnAt)
        }
        var known: [Int: Bool] = [:]
        for pool in lacking {
            if let other = blocker(of: slot, in: pool, &known), let key = pools[pool].key,
                let entry = slots[other].entry
            {
                return .turn(key, behind: entry)
            }
        }
        guard !pools[0].isFree, lender(of: 0, for: slot) == nil else { return .nothing }
        let holding = entries().filter { !isWaiting($0) }.prefix(limit)
        return .permit(holding.compactMap { slots[$0.slot].entry })
    }
}

extension KeyedQueueStateMachine.Wait: Sendable where Entry: Sendable, Key: Sendable {}
