import Testing

@testable import JobKit

/// R5: the task that released the permit or thread for which another task waited.
@Suite struct TimelineWaitsTests {
    private struct Recorded {
        let tracked: Int
        let start: Int
        let end: Int?
        let queueID: Int
        let parent: Int?
        let predecessors: [Int]
        let thread: Int?
    }

    private func record(
        tracked: Int = 0,
        _ start: Int,
        _ end: Int?,
        in queueID: Int = 1,
        parent: Int? = nil,
        after predecessors: [Int] = [],
        thread: Int? = nil
    ) -> Recorded {
        Recorded(
            tracked: tracked,
            start: start,
            end: end,
            queueID: queueID,
            parent: parent,
            predecessors: predecessors,
            thread: thread
        )
    }

    /// The predecessors of the entries, by start.
    private func predecessors(_ records: [Recorded]) -> [[Int]] {
        var recording = TimelineRecording()
        for (index, record) in records.enumerated() {
            var causes = StartCauses()
            causes.queueID = record.queueID
            causes.threadCauseID = record.thread.map { $0 + 1 } ?? 0
            let kinds: [JobEvent.Kind] = [.tracked, .started, .finished]
            for (kind, time) in zip(kinds, [record.tracked, record.start, record.end]) {
                guard let time else { continue }
                let event = JobEvent(
                    kind: kind,
                    operationID: index + 1,
                    parentID: record.parent.map { $0 + 1 },
                    rootID: 1,
                    outcome: nil,
                    group: nil,
                    time: EventTime(nanoseconds: 1_000_000 * Int64(1_000 + time)),
                    predecessorIDs: record.predecessors.map { $0 + 1 },
                    startCauses: causes,
                    operationName: OperationName(given: nil, type: SampleTimelines.Upload.self)
                )
                _ = recording.eventRecorded(event)
            }
        }
        return recording.timeline(at: .now).entries.map(\.predecessors)
    }

    @Test func taskFollowsTheLastOfItsQueueThatEndedBeforeItStarted() {
        let waits = predecessors([
            record(1, 10), record(1, 20), record(11, 30), record(21, nil),
        ])
        #expect(waits == [[], [], [0], [1]])
    }

    @Test func taskThatCouldStartEarlierFollowsNoOther() {
        #expect(predecessors([record(1, 10), record(tracked: 12, 13, 20)]) == [[], []])
    }

    @Test func dependencyThatEndedAfterThePermitWasFreeCounts() {
        let waits = predecessors([
            record(1, 10), record(1, 20, in: 0), record(21, 30, after: [1]),
        ])
        #expect(waits == [[], [], [1]])
    }

    @Test func queuesDoNotPassPermitsToEachOther() {
        let waits = predecessors([record(1, 10, in: 2), record(11, 20), record(11, 20, in: 0)])
        #expect(waits == [[], [], []])
    }

    @Test func taskFollowsTheTaskWhosePermitItGot() {
        let waits = predecessors([
            record(1, 10, in: 0), record(11, 20, in: 0, thread: 0),
            record(tracked: 15, 16, 20, in: 0, thread: 0),
        ])
        #expect(waits == [[], [0], []])
    }

    @Test func taskTrackedBeforeItsJobStartedWaitedForTheJob() {
        let waits = predecessors([
            record(15, 40, in: 0), record(1, 10), record(16, 20, parent: 0),
        ])
        #expect(waits == [[], [], []])
    }
}
