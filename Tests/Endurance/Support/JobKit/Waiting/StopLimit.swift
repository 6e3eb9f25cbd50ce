import JobKit
import JobKitTesting

/// The five seconds that operations have to stop, on a manual clock.
struct StopLimit {
    let clock = ManualClock()

    @discardableResult
    func set<Limited: ConcurrentOperation>(on operation: Limited) -> Limited {
        operation.clock = clock
        operation.maximumStopTime = .seconds(5)
        return operation
    }

    /// Advances the clock until a number of operations have run out of time to stop.
    func passes(of count: Int = 1) async {
        await clock.waitForSleepers(count)
        clock.advance(by: .seconds(5))
    }
}
