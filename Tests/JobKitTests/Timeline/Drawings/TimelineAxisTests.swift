import Testing

@testable import JobKit

@Suite struct TimelineAxisTests {
    @Test(arguments: [
        (Duration.nanoseconds(800), ["0", "100 ns", "200 ns"]),
        (.microseconds(10), ["0", "1 µs", "2 µs"]),
        (.milliseconds(3), ["0", "0.5 ms", "1 ms"]),
        (.milliseconds(498), ["0", "50 ms", "100 ms"]),
        (.seconds(1), ["0", "0.1 s", "0.2 s"]),
        (.seconds(70), ["0", "10 s", "20 s"]),
        (.seconds(130), ["0", "20 s", "40 s"]), (.seconds(100), ["0", "10 s", "20 s"]),
        (.seconds(300), ["0", "50 s", "100 s"]),
        (.seconds(1_200), ["0", "2 min", "4 min"]),
        (.seconds(40_000), ["0", "2 h", "4 h"]),
        (.seconds(9_000), ["0", "20 min", "40 min"]),
        (.seconds(1_000_000), ["0", "50 h", "100 h"]),
    ])
    func ticksAreRound(span: Duration, labels: [String]) {
        let axis = TimelineAxis(span: span, count: 11)
        #expect(axis.ticks.prefix(3).map(\.label) == labels)
        #expect(axis.ticks.count <= 12)
        #expect(axis.ticks.allSatisfy { $0.time <= span + .nanoseconds(1) })
    }

    @Test func spanOfNothingHasOneTick() {
        #expect(TimelineAxis(span: .zero, count: 10).ticks.map(\.label) == ["0"])
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
