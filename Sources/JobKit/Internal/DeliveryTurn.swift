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

    /// What becomes of a turn that a thread gives back.
    enum Return: Equatable {
        /// No thread has it, or another thread has it already.
        case open
        /// There are more shares than were seen: the thread keeps it.
        case kept
        /// All turns have ended while the thread had it.
        case closed
    }

    /// Gives the turn back, unless there are more shares than were seen.
    func giveBack(_ seen: Seen) -> Return {
        guard seen.shares > 0 else { return .closed }
        let (isGivenBack, _) = shares.compareExchange(
            expected: seen.shares,
            desired: 0,
            ordering: .sequentiallyConsistent
        )
        return isGivenBack ? .open : .kept
    }

    /// Gives the turn back, of which no share is left undone; returns false if all turns have ended
    /// while the thread had it.
    func open() -> Bool {
        var current = shares.load(ordering: .relaxed)
        while current >= 0 {
            let (exchanged, original) = shares.weakCompareExchange(
                expected: current,
                desired: 0,
                ordering: .sequentiallyConsistent
            )
            if exchanged { return true }
            current = original
        }
        return false
    }

    /// Ends all turns; returns whether a thread has one, and learns of the end when it gives it
    /// back.
    @discardableResult
    func close() -> Bool {
        shares.exchange(Self.closed, ordering: .sequentiallyConsistent) > 0
    }
}
