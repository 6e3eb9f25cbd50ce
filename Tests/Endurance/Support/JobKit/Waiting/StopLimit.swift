import JobKit
import JobKitTesting

/// The five seconds that operations have to stop, on a clock that only moves when it is told to.
struct StopLimit {
    let clock = ManualClock()

    @discardableResult
    func set<Limited: ConcurrentOperation>(on operation: Limited) -> Limited {
        operation.clock = clock
        operation.maximumStopTime = .seconds(5)
        return operation
    }

    /// Lets the time pass that a number of operations have to stop.
    func passes(of count: Int = 1) async {
        await clock.waitForSleepers(count)
        clock.advance(by: .seconds(5))
    }
}
