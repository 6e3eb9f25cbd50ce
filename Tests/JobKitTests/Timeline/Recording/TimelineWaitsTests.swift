import Testing

@testable import JobKit

/// R5: the task that released the permit or thread for which another task waited.
@Suite struct TimelineWaitsTests {
    private func at(_ milliseconds: Int) -> EventTime {
        EventTime(nanoseconds: 1_000_000 * Int64(1_000 + milliseconds))
    }

    private func record(
        tracked: Int = 0,
        _ start: Int,
        _ end: Int?,
        in queueID: Int = 1,
        parent: Int? = nil,
        after predecessors: [Int] = [],
        thread: Int? = nil
    ) -> TimelineWaits.Record {
        TimelineWaits.Record(
            tracked: at(tracked),
            start: at(start),
            end: end.map(at),
            parent: parent,
            predecessors: predecessors,
            queueID: queueID,
            threadCause: thread
        )
    }

    @Test func taskFollowsTheLastOfItsQueueThatEndedBeforeItStarted() {
        let waits = TimelineWaits([
            record(1, 10), record(1, 20), record(11, 30), record(21, nil),
        ])
        #expect(waits.predecessors == [[], [], [0], [1]])
    }

    @Test func taskThatCouldStartEarlierFollowsNoOther() {
        let waits = TimelineWaits([record(1, 10), record(tracked: 12, 13, 20)])
        #expect(waits.predecessors == [[], []])
    }

    @Test func dependencyThatEndedAfterThePermitWasFreeCounts() {
        let waits = TimelineWaits([
            record(1, 10), record(1, 20, in: 0), record(21, 30, after: [1]),
        ])
        #expect(waits.predecessors == [[], [], [1]])
    }

    @Test func queuesDoNotPassPermitsToEachOther() {
        let waits = TimelineWaits([record(1, 10, in: 2), record(11, 20), record(11, 20, in: 0)])
        #expect(waits.predecessors == [[], [], []])
    }

    @Test func taskFollowsTheTaskWhosePermitItGot() {
        let waits = TimelineWaits([
            record(1, 10, in: 0), record(11, 20, in: 0, thread: 0),
            record(tracked: 15, 16, 20, in: 0, thread: 0),
        ])
        #expect(waits.predecessors == [[], [0], []])
    }

    @Test func taskTrackedBeforeItsJobStartedWaitedForTheJob() {
        let waits = TimelineWaits([record(15, 40, in: 0), record(1, 10), record(16, 20, parent: 0)])
        #expect(waits.predecessors == [[], [], []])
    }
}
