import Testing

/// Proves that the oracle complains about wrong events.
@Suite struct JobTreeOracleTests {
    private static let whole: [StressEvent] = [
        .main, .tracked(0, group: "a"), .tracked(1, group: "b"), .asked(0, answer: .carryOn),
        .delivered(0), .group("a"), .delayed, .delivered(1), .tracked(2, group: "b"),
        .delivered(2), .group("b"), .all,
    ]

    private func complaint(
        _ events: [StressEvent],
        _ outcome: StressOutcome = .succeeded
    ) -> String? {
        var oracle = JobTreeOracle()
        return oracle.complaint(about: events, outcome: outcome)
    }

    @Test func wholeJobIsRight() {
        #expect(complaint(Self.whole) == nil)
        #expect(complaint([], .cancelled) == nil)
        #expect(complaint([.main, .tracked(0, group: "a"), .cancelled], .cancelled) == nil)
        #expect(complaint([.main, .ending], .failed) == nil)
    }

    @Test(arguments: JobTreeOracleTests.whole.indices) func missingEventIsWrong(index: Int) {
        var events = Self.whole
        // The oracle cannot detect a missing failure, and a delayed closure is optional.
        let mayBeMissing = events[index] == .delayed || index == 3
        events.remove(at: index)
        #expect((complaint(events) == nil) == mayBeMissing)
    }

    @Test(arguments: JobTreeOracleTests.whole.indices) func repeatedEventIsWrong(index: Int) {
        var events = Self.whole
        events.insert(events[index], at: index)
        #expect((complaint(events) == nil) == (events[index] == .delayed))
    }

    // J2
    @Test func delayedClosureBetweenTheCallbacksOfATaskIsWrong() {
        for (index, event) in Self.whole.enumerated() where index > 0 {
            var events = Self.whole
            events.insert(.delayed, at: index)
            let isBetween =
                switch event {
                case .group, .all: true
                case .delivered(let task): task == 0
                // Tracked by the callback that was just called.
                case .tracked(let task, _): task == 2
                default: false
                }
            #expect((complaint(events) != nil) == isBetween, "before \(event)")
        }
    }

    @Test func callbackAfterTheEndIsWrong() {
        for index in Self.whole.indices.dropFirst() {
            var events = Self.whole
            events.insert(.ending, at: index)
            // The rest of the callback that ends the job may track tasks.
            let hasCallback = events[(index + 1)...]
                .contains {
                    if case .tracked = $0 { false } else { true }
                }
            #expect((complaint(events) == nil) == !hasCallback)
        }
    }

    @Test func endsThatDoNotFitAreWrong() {
        #expect(complaint(Self.whole, .cancelled) != nil)
        #expect(complaint(Self.whole, .failed) != nil)
        #expect(complaint([.main, .cancelled]) != nil)
        #expect(complaint([.main, .cancelled, .cancelled], .cancelled) != nil)
        #expect(complaint([.main, .cancelled, .all], .cancelled) != nil)
        #expect(complaint([.main], .none) != nil)
        #expect(complaint([]) != nil)
    }
}
