import Testing

@testable import JobKit

// R3
@Suite struct ProgressTallyTests {
    @Test func nothingTrackedIsNothingDone() {
        #expect(ProgressTally().fraction == 0)
    }

    @Test func weightsOfAnySizeAddUp() {
        var tally = ProgressTally()
        for _ in 0..<4 { tally.taskTracked(weight: .max) }
        tally.taskDelivered(weight: .max, fraction: 0)
        #expect(tally.fraction == 0.25)
        tally.taskAdvanced(weight: .max, from: 0, to: 0.5)
        #expect(tally.fraction == 0.375)
        tally.taskDelivered(weight: .max, fraction: 0.5)
        #expect(tally.fraction == 0.5)
    }

    @Test func everythingDeliveredIsBelowOne() {
        var tally = ProgressTally()
        tally.taskTracked(weight: 3)
        tally.taskDelivered(weight: 3, fraction: 0)
        #expect(tally.fraction < 1)
    }

    @Test func weightOfZeroCountsForNothing() {
        var tally = ProgressTally()
        tally.taskTracked(weight: 0)
        tally.taskDelivered(weight: 0, fraction: 0)
        #expect(tally.fraction == 0)
        tally.taskTracked(weight: 2)
        tally.taskAdvanced(weight: 0, from: 0, to: 1)
        #expect(tally.fraction == 0)
    }
}
