import Testing

@testable import JobKit

@Suite struct TimelineLanesTests {
    /// Checks that entries of one lane are nested or do not overlap, and counts the lanes.
    private func check(_ timeline: Timeline, sourceLocation: SourceLocation = #_sourceLocation) {
        var open: [[Int]] = Array(repeating: [], count: TimelineFacts(of: timeline).laneCount)
        for (place, entry) in timeline.entries.enumerated() {
            var stack = open[entry.lane]
            while let last = stack.last, timeline.entries[last].end <= entry.start {
                stack.removeLast()
            }
            if let last = stack.last {
                #expect(entry.end <= timeline.entries[last].end, sourceLocation: sourceLocation)
                #expect(entry.parent == last, sourceLocation: sourceLocation)
            }
            open[entry.lane] = stack + [place]
            #expect(
                stack.count < TimelineLanes.maximumDepth,
                sourceLocation: sourceLocation
            )
        }
    }

    @Test(arguments: [(5, 2, 24), (500, 6, 24), (5_000, 8, 300), (500, 1, 24), (2_000, 50, 10)])
    func entriesOfALaneNestOrLieApart(count: Int, width: Int, albumSize: Int) {
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

    @Test(arguments: UInt64(1)...30) func randomIntervalsNestOrLieApart(seed: UInt64) {
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

    @Test func stepsShareTheLaneOfTheirJob() {
        #expect(
            TimelineFacts(of: Timeline(SampleTimelines.sequential(count: 1_000))).laneCount == 1
        )
    }

    @Test func tasksAtOnceTakeALaneEach() {
        let timeline = Timeline(SampleTimelines.wide(count: 1_001))
        #expect(TimelineFacts(of: timeline).laneCount == 1_000)
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

    @Test func taskThatOutlivesItsJobLiesApart() {
        let upload = SampleTimelines.Upload.self
        let timeline = Timeline([
            SampleTimelines.interval("job", upload, nil, 0, 10),
            SampleTimelines.interval("left running", upload, 0, 5, 15),
            SampleTimelines.interval("kept", upload, 0, 5, 9),
        ])
        #expect(timeline.entries.map(\.lane) == [0, 1, 0])
    }

    @Test func nestedJobsLeaveTheirLaneAtPerfettosLimit() {
        let timeline = Timeline(
            (0..<250)
                .map { level in
                    SampleTimelines.interval(
                        "\(level)",
                        SampleTimelines.Album.self,
                        level == 0 ? nil : level - 1,
                        level,
                        1_000 - level
                    )
                }
        )
        #expect(TimelineFacts(of: timeline).laneCount == 3)
        check(timeline)
    }
}
