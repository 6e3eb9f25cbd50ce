import Foundation

/// Hands operations on to another queue, at most so many in any stretch of time.
///
/// ```swift
/// let api = RateLimitedQueue(TaskQueue.shared, limit: 100, per: .seconds(1))
/// for page in pages { trackAndQueue(Fetch(page), on: api) }
/// ```
///
/// Operations are handed on when they are ready, by `queuePriority`, and within a priority in the
/// order added. One that waits here holds no thread and no place of the other queue. A cancelled
/// ``ConcurrentOperation`` finishes at once, a cancelled plain `Operation` within 100 ms; neither
/// counts against the limit.
///
/// The attempts of a retry obey the rate if the retry is given this queue:
///
/// ```swift
/// let fetch = RetryOperation(policy, on: api) { _ in Fetch(page) }
/// ```
///
/// The queue waits for its turn by its clock. If the clock goes back, operations that were handed
/// on before count as handed on at the earlier time. The queue may be released while operations
/// wait in it: they are still handed on.
///
/// > Thread: Every member may be used from any thread. Operations are handed on by the threads that
/// > add them, that finish what they depend on, and of Swift concurrency.
public final class RateLimitedQueue: OperationScheduling {
    let shell: RateLimitedQueueShell

    /// Creates a queue that hands on to another one.
    ///
    /// - Parameters:
    ///   - queue: Where operations are handed on to.
    ///   - limit: How many operations are handed on at most in any stretch of `interval`; a number
    ///     below 1 traps.
    ///   - interval: The length of the stretch; 0 for no limit. A negative value traps.
    ///   - clock: Measures the interval.
    public init(
        _ queue: any OperationScheduling,
        limit: Int,
        per interval: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        guard limit >= 1 else {
            fatalError(
                "JobKit: the limit of a RateLimitedQueue is \(limit); it must be at least 1."
            )
        }
        guard interval >= .zero else {
            fatalError(
                "JobKit: the interval of a RateLimitedQueue is \(interval); it must be at least 0."
            )
        }
        shell = RateLimitedQueueShell(queue, limit: limit, interval: interval, clock: clock)
    }

    /// Adds an operation, which is handed on when it is ready and its turn has come.
    ///
    /// The operation is retained until then. Traps if the operation is already in a queue of
    /// JobKit's or was started.
    public func addOperation(_ operation: Operation) {
        shell.add(operation)
    }
}
