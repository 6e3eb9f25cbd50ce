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

    // `Int` has 32 bits on a watch, which is 2.1 seconds in nanoseconds.
    @Test(arguments: [
        (Duration.seconds(2), DispatchTimeInterval.nanoseconds(2_000_000_000)),
        (.nanoseconds(2_147_483_647), .nanoseconds(2_147_483_647)),
        (.nanoseconds(2_147_483_648), .microseconds(2_147_484)),
        (.seconds(3), .microseconds(3_000_000)),
        (.seconds(3_600), .milliseconds(3_600_000)),
        (.seconds(86_400 * 365), .seconds(86_400 * 365)),
        (.seconds(Int64(Int32.max)), .seconds(2_147_483_647)),
    ])
    func intervalFitsIntoThirtyTwoBits(duration: Duration, interval: DispatchTimeInterval) {
        #expect(duration.dispatchInterval(largestCount: Int64(Int32.max)) == interval)
    }

    @Test(arguments: [Duration.seconds(Int64(Int32.max) + 1), .seconds(Int64.max)])
    func beyondThirtyTwoBitsOfSecondsIsNever(duration: Duration) {
        #expect(duration.dispatchInterval(largestCount: Int64(Int32.max)) == nil)
    }

    @Test func longestIntervalCanBeAddedToNow() {
        let interval = Duration.seconds(4_000_000_000).dispatchInterval
        #expect(interval.map { DispatchTime.now() + $0 > .now() } == true)
    }
}
