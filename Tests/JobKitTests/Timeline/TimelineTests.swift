import Foundation
import Testing

@testable import JobKit

@Suite struct TimelineTests {
    private func interval(
        _ name: String,
        _ parent: Int?,
        _ start: Int,
        _ end: Int,
        after predecessors: [Int] = []
    ) -> Timeline.Entry {
        SampleTimelines.interval(
            name,
            SampleTimelines.Upload.self,
            parent,
            start,
            end,
            after: predecessors
        )
    }

    private func names(_ entries: [Timeline.Entry]) -> [String] { entries.map(\.name) }

    @Test func entriesAreSortedByStartBelowTheirJobs() {
        // Given: recorded in the order of their ends
        let timeline = Timeline([
            interval("second", 3, 20, 30), interval("first", 3, 10, 40),
            interval("inner", 4, 0, 50), interval("job", 4, 0, 50), interval("root", nil, 0, 60),
        ])
        // Then
        #expect(names(timeline.entries) == ["root", "inner", "job", "first", "second"])
        #expect(timeline.entries.map(\.parent) == [nil, 0, 0, 2, 2])
        #expect(TimelineFacts(of: timeline).span == 60_000)
    }

    @Test func jobIsBeforeATaskThatStartsWithIt() {
        let timeline = Timeline([interval("task", 1, 0, 5), interval("root", nil, 0, 5)])
        #expect(names(timeline.entries) == ["root", "task"])
        #expect(timeline.entries[1].parent == 0)
    }

    @Test func jobThatStartsAfterATaskIsBeforeItAndBeginsAtItsOwnStart() throws {
        let timeline = Timeline([
            interval("early", 1, 5, 7), interval("inner", 2, 20, 30), interval("root", nil, 10, 40),
        ])
        #expect(names(timeline.entries) == ["root", "inner", "early"])
        #expect(timeline.entries.map(\.start) == Array(repeating: .microseconds(5), count: 3))
        let decoded = try JSONDecoder()
            .decode(
                Timeline.self,
                from: JSONEncoder().encode(timeline)
            )
        #expect(decoded.text() == timeline.text())
    }

    @Test func emptyTimelineHasEveryForm() {
        let timeline = Timeline([])
        #expect(timeline.entries.isEmpty)
        #expect(timeline.criticalPath.isEmpty)
        #expect(timeline.text() == "")
        #expect(timeline.mermaid().hasPrefix("gantt\n"))
        #expect(timeline.svg().hasSuffix("</svg>\n"))
        #expect(!timeline.chromeTrace().isEmpty)
    }

    @Test func depthsOfAHundredThousandJobsInOneAnother() {
        let parents: [Int?] = (0..<100_000).map { $0 == 99_999 ? nil : $0 + 1 }
        #expect(Timeline.depths(of: parents).first == 99_999)
    }

    // R5
    @Test func criticalPathFollowsTheLastToFinish() {
        let timeline = Timeline([
            interval("root", nil, 0, 100),
            interval("short", 0, 0, 10), interval("long", 0, 0, 30),
            interval("both", 0, 30, 60, after: [1, 2]), interval("aside", 0, 10, 50, after: [1]),
            interval("last", 0, 60, 100, after: [3]),
        ])
        #expect(names(timeline.criticalPath) == ["long", "both", "last"])
    }

    // R5: jobs represent their tasks
    @Test func criticalPathGoesThroughTheTasksOfJobs() {
        let timeline = Timeline([
            interval("root", nil, 0, 100),
            interval("fetch", 0, 0, 40), interval("fetch a", 1, 0, 10),
            interval("fetch b", 1, 10, 38, after: [2]),
            interval("store", 0, 40, 100, after: [1]), interval("store a", 4, 41, 60),
            interval("store b", 4, 60, 99, after: [5]),
        ])
        #expect(names(timeline.criticalPath) == ["fetch a", "fetch b", "store a", "store b"])
    }

    @Test func criticalPathPassesAJobWithoutTasks() {
        let timeline = Timeline([
            interval("root", nil, 0, 30), interval("task", 0, 0, 10),
            interval("empty job", 0, 10, 20, after: [1]),
            interval("last", 0, 20, 30, after: [2]),
        ])
        #expect(names(timeline.criticalPath) == ["task", "empty job", "last"])
    }

    @Test func criticalPathLeavesOutATaskThatOutlivesItsJob() {
        // Given: a task that was left running delays nothing
        let timeline = Timeline([
            interval("root", nil, 0, 50), interval("job", 0, 0, 20), interval("kept", 1, 0, 18),
            interval("left running", 1, 0, 45), interval("next", 0, 20, 50, after: [1]),
        ])
        #expect(names(timeline.criticalPath) == ["kept", "next"])
    }

    @Test func criticalPathEndsWithTheLastThatFinished() {
        var running = interval("running", 0, 0, 90)
        running.outcome = nil
        let timeline = Timeline([
            interval("root", nil, 0, 90), running, interval("done", 0, 0, 40),
        ])
        #expect(names(timeline.criticalPath) == ["done"])
    }

    @Test func criticalPathOfARootAloneIsEmpty() {
        #expect(Timeline([interval("root", nil, 0, 10)]).criticalPath.isEmpty)
    }

    @Test func criticalPathEndsAtACycle() {
        let timeline = Timeline([
            interval("root", nil, 0, 10), interval("a", 0, 5, 5, after: [2]),
            interval("b", 0, 5, 5, after: [1]),
        ])
        #expect(names(timeline.criticalPath).sorted() == ["a", "b"])
    }

    @Test func criticalPathOfManyStepsHasThemAll() {
        let count = length(of: 20_000)
        let timeline = Timeline(SampleTimelines.sequential(count: count))
        #expect(timeline.criticalPath.count == count - 1)
        #expect(timeline.criticalPath.first?.name == "Step 1")
    }
}
