/// The entries of a queue that have to do with loans, by slot; how many of them could lend, and
/// which of them ask or lend when there are too few places.
struct LoanParties: Sendable {
    private var parties: ContiguousArray<LoanParty> = []
    /// How many jobs could lend their places now: where none can, nobody need be asked.
    private(set) var lenderCount = 0
    /// Above which jobs a search for a lender need not look.
    private var searches = LoanSearches()
    /// Slots, each once.
    private var postponed = FIFO<Int>()

    func knows(_ slot: Int) -> Bool { slot < parties.count }

    mutating func learn(of slot: Int) {
        while parties.count <= slot { parties.append(LoanParty()) }
    }

    subscript(slot: Int) -> LoanParty {
        _read { yield parties[slot] }
        _modify { yield &parties[slot] }
    }

    /// Makes a change that may have a job begin or cease to be able to lend its place.
    @inline(__always)
    mutating func change(_ slot: Int, _ change: (inout LoanParty) -> Void) {
        let couldLend = parties[slot].canLend
        change(&parties[slot])
        let canLend = parties[slot].canLend
        guard couldLend != canLend else { return }
        lenderCount += canLend ? 1 : -1
        if canLend { searches.forget(parties[slot].search) }
    }

    /// Adds a lender of an entry, unless it is known; returns false if it is.
    mutating func addLender(_ lender: TaskQueueTicket, to slot: Int) -> Bool {
        guard parties[slot].lenders.insert(lender) else { return false }
        searches.forget(parties[slot].search)
        return true
    }

    /// How far a job is from the end of a search that has shown that neither it nor any above it
    /// can lend; nil if none has.
    func distanceFromVainEnd(of slot: Int) -> Int? { searches.distance(of: parties[slot].search) }

    /// So many jobs were met one above the other on the way up from an entry, until so far from the
    /// end of a search, and none of them can lend.
    mutating func searchEndedInVain(from slot: Int, past count: Int, at distance: Int) {
        var job = slot
        for passed in 0..<count {
            job = parties[job].lenders[0].slot
            parties[job].search = searches.mark(at: distance + count - passed)
        }
    }

    /// Notes an entry that asks, or lends, when there are too few places.
    mutating func postpone(_ slot: Int) {
        guard !parties[slot].isPostponed else { return }
        guard parties[slot].canLend || !parties[slot].lenders.isEmpty else { return }
        parties[slot].isPostponed = true
        postponed.append(slot)
    }

    /// Takes out the slot that was noted first, whatever stands there now.
    mutating func popPostponed() -> Int? {
        guard let slot = postponed.popFirst() else { return nil }
        parties[slot].isPostponed = false
        return slot
    }

    /// The entry has left the queue, and lends nothing.
    mutating func forget(_ slot: Int) {
        change(slot) { $0.forget() }
    }
}
