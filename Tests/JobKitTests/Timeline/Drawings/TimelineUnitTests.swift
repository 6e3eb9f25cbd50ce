import Testing

@testable import JobKit

@Suite struct TimelineUnitTests {
    @Test(arguments: [
        (Duration.nanoseconds(800), "ns", 100), (.microseconds(9), "ns", 1_000),
        (.microseconds(10), "µs", 1), (.milliseconds(3), "µs", 500), (.milliseconds(11), "ms", 1),
        (.milliseconds(498), "ms", 50), (.seconds(1), "ms", 100), (.seconds(70), "s", 10),
        (.seconds(100), "s", 10), (.seconds(130), "s", 20), (.seconds(300), "s", 50),
        (.seconds(1_200), "min", 2), (.seconds(9_000), "min", 20), (.seconds(40_000), "h", 2),
        (.seconds(1_000_000), "h", 50),
    ])
    func stepsOfAnAxisAreRound(span: Duration, symbol: String, step: Double) {
        let unit = TimelineUnit.of(span.nanoseconds, atLeast: 10)
        #expect(unit.symbol == symbol)
        #expect(unit.step(of: span.nanoseconds, count: 11) == step)
    }

    @Test func spanOfNothingHasAStep() {
        #expect(TimelineUnit.of(0, atLeast: 10).step(of: 0, count: 10) == 1)
    }

    @Test(arguments: [
        (Duration.zero, "0 ns"), (.nanoseconds(999), "999 ns"), (.microseconds(1), "1 µs"),
        (.nanoseconds(12_345), "12.3 µs"), (.microseconds(1_234), "1.23 ms"),
        (.milliseconds(999), "999 ms"), (.microseconds(999_900), "1 s"),
        (.milliseconds(1_500), "1.5 s"), (.seconds(119), "119 s"), (.seconds(125), "2 min 5 s"),
        (.seconds(7_260), "2 h 1 min"),
    ])
    func shortTextHasThreeDigits(duration: Duration, text: String) {
        #expect(duration.shortText == text)
    }
}
