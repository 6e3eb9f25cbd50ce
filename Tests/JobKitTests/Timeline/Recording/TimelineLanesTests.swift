import Testing

@testable import JobKit

@Suite struct TimelineLanesTests {
    /// Checks that the entries of one lane do not overlap, and that each is in the lowest one.
    private func check(_ timeline: Timeline, sourceLocation: SourceLocation = #_sourceLocation) {
        // The end of the last entry of each lane, except those without a length.
        var ends = Array(repeating: Duration.zero, count: timeline.entries.count)
        for entry in timeline.entries {
            let lane = ends.firstIndex { $0 <= entry.start }
            #expect(entry.lane == lane, sourceLocation: sourceLocation)
            ends[entry.lane] = entry.end
        }
    }

    @Test(arguments: [(5, 2, 24), (500, 6, 24), (5_000, 8, 300), (500, 1, 24), (2_000, 50, 10)])
    func entriesOfALaneDoNotOverlap(count: Int, width: Int, albumSize: Int) {
        for seed in 1...5 {
            check(
                Timeline(
                    SampleTimelines.simulated(
                        count: count,
                        width: width,
                        albumSize: albumSize,
                        seed: UInt64(seed)
                    )
                )
            )
        }
    }

    @Test(arguments: UInt64(1)...30) func randomIntervalsDoNotOverlap(seed: UInt64) {
        var random = WalkGenerator(seed: seed)
        let intervals = (0..<300)
            .map { index in
                let start = Int.random(in: 0...60, using: &random)
                return SampleTimelines.interval(
                    "\(index)",
                    SampleTimelines.Upload.self,
                    index == 0 || Bool.random(using: &random)
                        ? nil : Int.random(in: 0..<index, using: &random),
                    start,
                    start + Int.random(in: 0...20, using: &random)
                        * Int.random(in: 0...3, using: &random)
                )
            }
        check(Timeline(intervals))
    }

    @Test func stepsShareTheLaneBelowTheirJob() {
        #expect(
            TimelineFacts(of: Timeline(SampleTimelines.sequential(count: 1_000))).laneCount == 2
        )
    }

    @Test func tasksAtOnceTakeALaneEach() {
        let timeline = Timeline(SampleTimelines.wide(count: 1_001))
        #expect(TimelineFacts(of: timeline).laneCount == 1_001)
        check(timeline)
    }

    @Test func freedLaneIsTakenAgainLowestFirst() {
        let upload = SampleTimelines.Upload.self
        let timeline = Timeline([
            SampleTimelines.interval("a", upload, nil, 0, 10),
            SampleTimelines.interval("b", upload, nil, 1, 5),
            SampleTimelines.interval("c", upload, nil, 2, 20),
            SampleTimelines.interval("d", upload, nil, 5, 30),
            SampleTimelines.interval("e", upload, nil, 12, 15),
        ])
        #expect(timeline.entries.map(\.lane) == [0, 1, 2, 1, 0])
    }

    @Test func entryWithoutALengthOccupiesNoLane() {
        let upload = SampleTimelines.Upload.self
        let timeline = Timeline([
            SampleTimelines.interval("job", upload, nil, 0, 10),
            SampleTimelines.interval("none", upload, 0, 5, 5),
            SampleTimelines.interval("at the same time", upload, 0, 5, 9),
            SampleTimelines.interval("none either", upload, 0, 5, 5),
        ])
        #expect(timeline.entries.map(\.lane) == [0, 1, 1, 2])
    }
}
