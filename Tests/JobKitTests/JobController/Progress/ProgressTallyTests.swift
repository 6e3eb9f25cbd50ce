import Testing

@testable import JobKit

// R3
@Suite struct ProgressTallyTests {
    @Test func nothingTrackedIsNothingDone() {
        #expect(ProgressTally().fraction == 0)
    }

    @Test func weightsOfAnySizeAddUp() {
        var tally = ProgressTally()
        var generation: ProgressTally.Generation = 0
        for _ in 0..<4 { generation = tally.taskTracked(weight: .max) }
        tally.codeReturned()
        tally.taskDelivered(weight: .max, fraction: 0)
        #expect(tally.fraction == 0.25)
        tally.taskAdvanced(weight: .max, from: 0, to: 0.5, trackedIn: generation)
        #expect(tally.fraction == 0.375)
        tally.taskDelivered(weight: .max, fraction: 0.5)
        #expect(tally.fraction == 0.5)
    }

    @Test func everythingDeliveredIsBelowOne() {
        var tally = ProgressTally()
        _ = tally.taskTracked(weight: 3)
        tally.taskDelivered(weight: 3, fraction: 0)
        #expect(tally.fraction < 1)
    }

    @Test func weightOfZeroCountsForNothing() {
        var tally = ProgressTally()
        let generation = tally.taskTracked(weight: 0)
        tally.codeReturned()
        tally.taskDelivered(weight: 0, fraction: 0)
        #expect(tally.fraction == 0)
        _ = tally.taskTracked(weight: 2)
        tally.taskAdvanced(weight: 0, from: 0, to: 1, trackedIn: generation)
        #expect(tally.fraction == 0)
    }

    @Test func fractionOfATaskCountsWhenTheCodeThatTrackedItHasReturned() {
        var tally = ProgressTally()
        let early = tally.taskTracked(weight: 1)
        tally.taskAdvanced(weight: 1, from: 0, to: 0.5, trackedIn: early)
        #expect(tally.fraction == 0)
        _ = tally.taskTracked(weight: 1)
        tally.codeReturned()
        #expect(tally.fraction == 0.25)
        // In a callback, tasks that were tracked before it still count.
        tally.codeBegins()
        let late = tally.taskTracked(weight: 2)
        tally.taskAdvanced(weight: 2, from: 0, to: 1, trackedIn: late)
        #expect(tally.fraction == 0.125)
        tally.taskAdvanced(weight: 1, from: 0.5, to: 1, trackedIn: early)
        #expect(tally.fraction == 0.25)
        tally.codeReturned()
        #expect(tally.fraction == 0.75)
    }

    @Test func taskTrackedBetweenTwoCallbacksCountsAtOnce() {
        var tally = ProgressTally()
        tally.codeReturned()
        let generation = tally.taskTracked(weight: 1)
        tally.codeBegins()
        tally.taskAdvanced(weight: 1, from: 0, to: 0.5, trackedIn: generation)
        #expect(tally.fraction == 0.5)
    }
}
