import Dispatch
import Foundation

/// Times single round trips, each in an idle process.
final class LatencyTrial {
    /// The rest before each round trip, which is long enough for the threads to fall asleep.
    static let rest: TimeInterval = 150e-6

    /// The number of round trips in the round.
    let size: Int

    private var latencies: [Double] = []
    private let returned = DispatchSemaphore(value: 0)

    /// Prepares a round of `size` round trips.
    init(size: Int) {
        self.size = size
        latencies.reserveCapacity(size)
    }

    /// Ends the current round trip.
    ///
    /// It may be called from any thread.
    var arrive: @Sendable () -> Void {
        { [returned] in returned.signal() }
    }

    /// Times `size` round trips, from each call of `depart` to the call of ``arrive``.
    ///
    /// - Parameters:
    ///   - prepare: Called before each rest. It is not timed.
    ///   - depart: Starts a round trip with the result of `prepare`.
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

    /// The round's latencies.
    ///
    /// Traps if their number is not that of the round.
    var summary: Summary {
        precondition(latencies.count == size, "\(latencies.count) round trips of \(size)")
        guard let summary = Summary(latencies) else { fatalError("the variant timed nothing") }
        return summary
    }
}
