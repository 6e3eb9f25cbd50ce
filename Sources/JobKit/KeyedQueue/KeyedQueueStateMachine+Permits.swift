/// Decides which permits an entry may take: the order within a key (X2), and loans from jobs (X4).
extension KeyedQueueStateMachine {
    /// Whether the entry can get a permit of each of its keys now.
    mutating func hasKeys(_ slot: Int) -> Bool {
        for permit in slots[slot].keys {
            if lender(of: permit.lane, for: slot) != nil { continue }
            guard lanes[permit.lane].isFree else { return false }
            guard let first = firstWaiting(for: permit.lane), first != slot else { continue }
            guard slots[first].order < slots[slot].order else { continue }
            // A task of a job may overtake some of the entries before it. Other entries cannot.
            if slots[slot].jobs.isEmpty || isHeldBack(slot, in: permit.lane) { return false }
        }
        return true
    }

    /// Whether an earlier entry that waits for keys prevents this one from using a lane.
    func isHeldBack(_ slot: Int, in lane: Int) -> Bool {
        var known: [Int: Bool] = [:]
        return blocker(of: slot, in: lane, &known) != nil
    }

    func blocker(of slot: Int, in lane: Int, _ known: inout [Int: Bool]) -> Int? {
        var found: Int?
        _ = lanes[lane].waiting
            .contains { ticket, priority in
                let other = ticket.slot
                guard Self.holds(ticket, priority, .blocked, slots),
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
        let waits = slots[slot].keys
            .contains { permit in
                guard lender(of: permit.lane, for: slot) == nil else { return false }
                return !lanes[permit.lane].isFree
                    || blocker(of: slot, in: permit.lane, &known) != nil
            }
        known[slot] = waits
        return waits
    }

    /// Whether `slot` need not wait behind `other`, because a job above `slot` holds a key for
    /// which `other` waits.
    private func isExempt(_ slot: Int, from other: Int) -> Bool {
        guard !slots[slot].jobs.isEmpty else { return false }
        return slots[other].keys
            .contains { permit in
                !lanes[permit.lane].isFree && lender(of: permit.lane, for: other) == nil
                    && jobAbove(slot) { self.permit(permit.lane, of: $0) != nil } != nil
            }
    }

    /// The nearest job above an entry that can lend a permit of a lane.
    func lender(of lane: Int, for slot: Int) -> Int? {
        guard !slots[slot].jobs.isEmpty else { return nil }
        return jobAbove(slot) { job in
            permit(lane, of: job).map { $0.borrower == nil } ?? false
        }
    }

    /// The permit of a lane that an entry holds, if it was passed on.
    func permit(_ lane: Int, of slot: Int) -> Permit? {
        guard slots[slot].state == .passedOn else { return nil }
        return lane == 0 ? slots[slot].place : slots[slot].keys.first { $0.lane == lane }
    }

    /// The nearest job above an entry that satisfies a condition.
    private func jobAbove(_ slot: Int, where condition: (Int) -> Bool) -> Int? {
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

    func isAbove(_ job: Int, _ slot: Int) -> Bool { jobAbove(slot) { $0 == job } != nil }
}
