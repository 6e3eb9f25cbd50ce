import Synchronization

/// Serializes work that many threads request, without blocking any of them.
///
/// The thread that finds the token free acquires it. The others leave their requests to that
/// thread.
///
/// Each request adds one to a counter. The token is free at 0. To release the token, the thread
/// replaces the counter by 0, but only if it still has the value that was read before the last
/// check for work. If a request was added since, the exchange fails, and the thread checks again.
///
/// Every access is sequentially consistent: a queue first requires all jobs to report when they
/// wait, and then checks whether a job's token is free. A job first releases its token, and then
/// checks whether it must report. Therefore, at least one of the two detects the other.
struct DrainToken: ~Copyable, Sendable {
    private let requests: Atomic<Int>

    /// Creates a token that is free, or that the caller has.
    init(isAcquired: Bool = false) {
        requests = Atomic(isAcquired ? 1 : 0)
    }

    /// Whether no work is pending, and no thread has the token.
    var isFree: Bool { requests.load(ordering: .sequentiallyConsistent) == 0 }

    /// The number of requests so far, to be read before their work is done.
    var pending: Int { requests.load(ordering: .sequentiallyConsistent) }

    /// Adds a request, and acquires the token if it is free.
    ///
    /// - Returns: Whether the caller has the token now, and must do all pending work. Otherwise, the
    ///   thread that has it does the work.
    func acquire() -> Bool { requests.add(1, ordering: .sequentiallyConsistent).oldValue == 0 }

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
}
