import Synchronization

/// Serializes work that many threads request, without blocking any of them.
///
/// The thread that finds the turn open takes it, and the others leave their shares of the work to
/// that thread.
///
/// Each share adds one to a counter. The turn is open at 0, taken above 0, and closed below 0. To
/// give the turn back, the thread replaces the counter by 0, but only if it still has the value
/// that was read before the last check for work. If a share was added since, the exchange fails,
/// and the thread checks again.
///
/// Every access is sequentially consistent: a queue first requires all jobs to report when they
/// wait, and then checks whether a job's turn is open. A job first opens its turn, and then checks
/// whether it must report. Therefore, at least one of the two detects the other.
struct DeliveryTurn: ~Copyable, Sendable {
    private let shares: Atomic<Int>

    /// The counter of a closed turn, so far below 0 that no number of shares opens the turn.
    private static let closed = Int.min / 2

    /// The result of adding a share.
    enum Claim: Equatable {
        /// The caller has the turn, and must do all pending work.
        case taken
        /// Another thread has the turn, and does the work.
        case left
        /// The turn is closed, so the work is never done.
        case closed
    }

    /// How many shares the thread with the turn has seen.
    struct Seen: Sendable {
        fileprivate let shares: Int
    }

    /// Creates a turn that is open, or that the caller has.
    init(isTaken: Bool = false) {
        shares = Atomic(isTaken ? 1 : 0)
    }

    /// Whether no work is pending, and no thread has the turn.
    var isOpen: Bool { shares.load(ordering: .sequentiallyConsistent) == 0 }

    /// The number of shares so far, to be read before their work is done.
    var seen: Seen { Seen(shares: shares.load(ordering: .sequentiallyConsistent)) }

    /// Adds a share, and takes the turn if it is open.
    @inline(__always)
    func claim() -> Claim {
        let before = shares.add(1, ordering: .sequentiallyConsistent).oldValue
        return before == 0 ? .taken : before > 0 ? .left : .closed
    }

    /// Gives the turn back.
    ///
    /// - Parameter seen: The shares for which the work is done.
    /// - Returns: False if shares were added since, so the thread keeps the turn.
    func giveBack(_ seen: Seen) -> Bool {
        shares.compareExchange(
            expected: seen.shares,
            desired: 0,
            ordering: .sequentiallyConsistent
        )
        .exchanged
    }

    /// Opens the turn without a check, because no work is pending.
    func open() { shares.store(0, ordering: .sequentiallyConsistent) }

    /// Closes the turn permanently.
    ///
    /// Only the thread that has the turn, or the last owner, may call this.
    func close() { shares.store(Self.closed, ordering: .sequentiallyConsistent) }
}
