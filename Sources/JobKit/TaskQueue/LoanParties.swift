/// The entries of a queue that have to do with loans, by slot; and how many of them could lend.
struct LoanParties: Sendable {
    private var parties: ContiguousArray<LoanParty> = []
    /// How many jobs could lend their places now: where none can, nobody need be asked.
    private(set) var lenderCount = 0

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
        if couldLend != canLend { lenderCount += canLend ? 1 : -1 }
    }
}
