import Dispatch
import Testing

@testable import JobKit

@Suite struct DurationDispatchTests {
    @Test func intervalIsTheDurationInWholeNanoseconds() {
        #expect(Duration.milliseconds(1500).dispatchInterval == .nanoseconds(1_500_000_000))
        #expect(Duration(attoseconds: 1_999_999_999).dispatchInterval == .nanoseconds(1))
        #expect(Duration.seconds(-1).dispatchInterval == .nanoseconds(0))
        #expect(Duration(attoseconds: .min).dispatchInterval == .nanoseconds(0))
    }

    @Test(arguments: [Duration.seconds(1 << 33), .seconds(Int64.max), Duration(attoseconds: .max)])
    func beyondDispatchIsNever(duration: Duration) {
        #expect(duration.dispatchInterval == nil)
    }

    @Test func longestIntervalCanBeAddedToNow() {
        let interval = Duration.seconds(4_000_000_000).dispatchInterval
        #expect(interval.map { DispatchTime.now() + $0 > .now() } == true)
    }
}
