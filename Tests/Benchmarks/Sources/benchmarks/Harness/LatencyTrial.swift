import Dispatch
import Foundation

/// Times single round trips, each from an idle process.
final class LatencyTrial {
    /// How long the process rests before each round trip, so that its threads have gone to sleep.
    static let rest: TimeInterval = 150e-6

    /// How many round trips the round has.
    let size: Int

    private var latencies: [Double] = []
    private let returned = DispatchSemaphore(value: 0)

    /// Prepares a round of `size` round trips.
    init(size: Int) {
        self.size = size
        latencies.reserveCapacity(size)
    }

    /// Ends the round trip that is under way; may be called from any thread.
    var arrive: @Sendable () -> Void {
        { [returned] in returned.signal() }
    }

    /// Times `size` round trips, from each call of `depart` to the call of ``arrive``.
    ///
    /// - Parameters:
    ///   - prepare: Called before each rest; not timed.
    ///   - depart: Sets a round trip off with what `prepare` made.
    func time<Prepared>(prepare: () -> Prepared, depart: (Prepared) -> Void) {
        for _ in 0..<size {
            let prepared = prepare()
            Thread.sleep(forTimeInterval: Self.rest)
            let latency = ContinuousClock()
                .measure {
                    depart(prepared)
                    guard returned.wait(timeout: .now() + 60) == .timedOut else { return }
                    fatalError("a round trip never came back")
                }
            latencies.append(latency.nanoseconds)
        }
    }

    /// Times round trips that need no preparation.
    func time(depart: () -> Void) {
        time(prepare: {}, depart: depart)
    }

    /// The round's latencies; traps if there are not as many as the round must have.
    var summary: Summary {
        precondition(latencies.count == size, "\(latencies.count) round trips of \(size)")
        guard let summary = Summary(latencies) else { fatalError("the variant timed nothing") }
        return summary
    }
}
