import Synchronization

/// Makes one thread at a time do what many threads have to do: the thread that finds the turn open
/// takes it, and the others leave their shares to that thread.
///
/// Each share adds one to a counter. The turn is open at 0 and closed below; above 0 a thread has
/// it. To give it back, the thread swaps the value that it read before its last look for 0. A share
/// that came after that look has changed the counter: the swap fails, and the thread looks again.
///
/// Every access is sequentially consistent: a queue asks whether a job's turn is open after it has
/// told all jobs to say so, and a job opens its turn and then looks whether it was told.
struct DeliveryTurn: ~Copyable, Sendable {
    private let shares: Atomic<Int>

    /// The value when nothing is done any more: far enough below 0 that no share opens the turn.
    private static let closed = Int.min / 2

    /// What becomes of a share.
    enum Claim: Equatable {
        /// The caller has the turn, and does what there is to do.
        case taken
        /// The thread that has the turn does it.
        case left
        /// Nothing is done any more.
        case closed
    }

    /// How many shares the thread that has the turn has seen.
    struct Seen: Sendable {
        fileprivate let shares: Int
    }

    /// Makes a turn that is open, or that the caller has.
    init(isTaken: Bool = false) {
        shares = Atomic(isTaken ? 1 : 0)
    }

    /// Whether no share is left, and no thread has the turn.
    var isOpen: Bool { shares.load(ordering: .sequentiallyConsistent) == 0 }

    /// The shares until now, to be read before they are done.
    var seen: Seen { Seen(shares: shares.load(ordering: .sequentiallyConsistent)) }

    /// Notes a share, and takes the turn if it is open.
    @inline(__always)
    func claim() -> Claim {
        let before = shares.add(1, ordering: .sequentiallyConsistent).oldValue
        return before == 0 ? .taken : before > 0 ? .left : .closed
    }

    /// Gives the turn back; returns false if there are more shares than were seen, so that the
    /// thread keeps it.
    func giveBack(_ seen: Seen) -> Bool {
        shares.compareExchange(
            expected: seen.shares,
            desired: 0,
            ordering: .sequentiallyConsistent
        )
        .exchanged
    }

    /// Gives the turn back, of which no share is left undone.
    func open() { shares.store(0, ordering: .sequentiallyConsistent) }

    /// Ends all turns; only the thread that has the turn, or the last owner, calls this.
    func close() { shares.store(Self.closed, ordering: .sequentiallyConsistent) }
}
