import Synchronization

/// Serializes work that many threads request, without blocking any of them.
///
/// The thread that finds the token free acquires it. The others leave their requests to that
/// thread.
///
/// Each request adds one to a counter. The token is free at 0, acquired above 0, and closed below
/// 0. To release the token, the thread replaces the counter by 0, but only if it still has the
/// value that was read before the last check for work. If a request was added since, the exchange
/// fails, and the thread checks again.
///
/// Every access is sequentially consistent: a queue first requires all jobs to report when they
/// wait, and then checks whether a job's token is free. A job first releases its token, and then
/// checks whether it must report. Therefore, at least one of the two detects the other.
struct DrainToken: ~Copyable, Sendable {
    private let requests: Atomic<Int>

    /// The counter of a closed token, so far below 0 that no number of requests frees the token.
    private static let closed = Int.min / 2

    /// The result of a request.
    enum Acquisition: Equatable {
        /// The caller has the token, and must do all pending work.
        case acquired
        /// Another thread has the token, and does the work.
        case busy
        /// The token is closed, so the work is never done.
        case closed
    }

    /// Creates a token that is free, or that the caller has.
    init(isAcquired: Bool = false) {
        requests = Atomic(isAcquired ? 1 : 0)
    }

    /// Whether no work is pending, and no thread has the token.
    var isFree: Bool { requests.load(ordering: .sequentiallyConsistent) == 0 }

    /// The number of requests so far, to be read before their work is done.
    var pending: Int { requests.load(ordering: .sequentiallyConsistent) }

    /// Adds a request, and acquires the token if it is free.
    func acquire() -> Acquisition {
        let before = requests.add(1, ordering: .sequentiallyConsistent).oldValue
        return before == 0 ? .acquired : before > 0 ? .busy : .closed
    }

    /// Releases the token.
    ///
    /// - Parameter pending: The requests for which the work is done.
    /// - Returns: False if requests were added since, so the thread keeps the token.
    func release(_ pending: Int) -> Bool {
        requests.compareExchange(
            expected: pending,
            desired: 0,
            ordering: .sequentiallyConsistent
        )
        .exchanged
    }

    /// Releases the token without a check, because no work is pending.
    func release() { requests.store(0, ordering: .sequentiallyConsistent) }

    /// Closes the token permanently.
    ///
    /// Only the thread that has the token, or the last owner, may call this.
    func close() { requests.store(Self.closed, ordering: .sequentiallyConsistent) }
}
