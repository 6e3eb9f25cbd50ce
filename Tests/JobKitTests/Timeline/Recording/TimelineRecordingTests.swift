import Foundation
import Testing

@testable import JobKit

@Suite struct TimelineRecordingTests {
    private func at(_ milliseconds: Int) -> EventTime {
        EventTime(nanoseconds: 1_000_000 * Int64(1_000 + milliseconds))
    }

    private func event(
        _ kind: JobEvent.Kind,
        of id: Int,
        in parent: Int? = nil,
        at time: EventTime,
        outcome: OperationOutcome? = nil,
        after causeID: Int? = nil,
        predecessorIDs: [Int] = []
    ) -> JobEvent {
        JobEvent(
            kind: kind,
            operationID: id,
            parentID: parent,
            rootID: id,
            outcome: outcome,
            group: parent.map { .named("tasks of \($0)") },
            time: time,
            causeID: causeID,
            predecessorIDs: predecessorIDs,
            operationName: name(id)
        )
    }

    private func name(_ id: Int) -> OperationName {
        OperationName(given: "\(id)", type: SampleTimelines.Upload.self)
    }

    /// A job 1, a task 2, and a task 3 that follows 2.
    private var ended: TimelineRecording {
        var recording = TimelineRecording()
        recording.note(event(.started, of: 1, at: at(5)))
        recording.note(event(.tracked, of: 2, in: 1, at: at(6)))
        recording.note(event(.started, of: 2, in: 1, at: at(7)))
        recording.note(
            event(
                .finished,
                of: 2,
                in: 1,
                at: at(10),
                outcome: .cancelled
            )
        )
        recording.note(
            event(
                .tracked,
                of: 3,
                in: 1,
                at: at(11),
                after: 2
            )
        )
        recording.note(event(.delivered, of: 2, in: 1, at: at(12)))
        recording.note(
            event(
                .started,
                of: 3,
                in: 1,
                at: at(13),
                predecessorIDs: [99]
            )
        )
        recording.note(
            event(
                .finished,
                of: 3,
                in: 1,
                at: at(15),
                outcome: .succeeded
            )
        )
        recording.note(event(.finished, of: 1, at: at(20), outcome: .succeeded))
        return recording
    }

    @Test func eventsBecomeEntriesSinceTheFirst() {
        let timeline = ended.timeline(at: at(1_000))
        #expect(timeline.entries.map(\.name) == ["1", "2", "3"])
        #expect(timeline.entries.map(\.parent) == [nil, 0, 0])
        #expect(
            timeline.entries.map(\.start)
                == [.zero, .milliseconds(2), .milliseconds(8)]
        )
        #expect(
            timeline.entries.map(\.end)
                == [.milliseconds(15), .milliseconds(5), .milliseconds(10)]
        )
        #expect(timeline.entries.map(\.outcomeWord) == ["succeeded", "cancelled", "succeeded"])
        #expect(timeline.criticalPath.map(\.name) == ["2", "3"])
    }

    @Test func dependencyEndsByTheStartOfItsDependent() {
        var recording = TimelineRecording()
        recording.note(event(.started, of: 1, at: at(0)))
        recording.note(event(.started, of: 2, in: 1, at: at(1)))
        recording.note(event(.started, of: 3, in: 1, at: at(4), predecessorIDs: [2]))
        recording.note(event(.finished, of: 3, in: 1, at: at(5), outcome: .succeeded))
        recording.note(event(.finished, of: 2, in: 1, at: at(6), outcome: .cancelled))
        let timeline = recording.timeline(at: at(7))
        #expect(timeline.entries[1].end == .milliseconds(4))
        #expect(timeline.entries[1].outcomeWord == "cancelled")
        #expect(timeline.criticalPath.map(\.name) == ["2", "3"])
    }

    @Test func executingTasksEndNow() {
        var recording = TimelineRecording()
        recording.note(event(.started, of: 1, at: at(5)))
        recording.note(event(.started, of: 4, in: 1, at: at(18)))
        let entries = recording.timeline(at: at(30)).entries
        #expect(entries.map(\.name) == ["1", "4"])
        #expect(entries.allSatisfy { $0.outcome == nil && $0.end == .milliseconds(25) })
    }

    /// A timeline does not grow forever, although a job never reports tasks for which it did not
    /// wait.
    @Test func taskNotAwaitedByTheJobEndsWithTheJob() {
        var recording = ended
        recording.note(event(.started, of: 4, in: 1, at: at(17)))
        recording.note(event(.started, of: 5, in: 4, at: at(18)))
        let entries = recording.timeline(at: at(1_000)).entries
        #expect(entries.suffix(2).map(\.name) == ["4", "5"])
        #expect(entries.suffix(2).allSatisfy { $0.outcome == nil && $0.end == .milliseconds(15) })
    }

    @Test func taskNotStartedHasNoEntry() {
        var recording = ended
        recording.note(event(.tracked, of: 4, in: 1, at: at(18)))
        #expect(recording.timeline(at: at(30)).entries.count == 3)
    }

    @Test func operationWithoutAStartCountsFromItsTracking() {
        var recording = ended
        recording.note(event(.tracked, of: 4, in: 1, at: at(15)))
        recording.note(event(.finished, of: 4, in: 1, at: at(18)))
        let entry = recording.timeline(at: at(30)).entries.last
        #expect(entry?.start == .milliseconds(10))
        #expect(entry?.end == .milliseconds(13))
        #expect(entry?.outcomeWord == "succeeded")
    }

    @Test func tasksTrackedBeforeTheJobStartsLeaveNoGap() {
        var recording = TimelineRecording()
        recording.note(event(.tracked, of: 2, in: 1, at: at(0)))
        recording.jobMissed(1, name(1), at: at(0))
        recording.note(event(.started, of: 1, at: at(500)))
        recording.note(event(.started, of: 2, in: 1, at: at(501)))
        let timeline = recording.timeline(at: at(502))
        #expect(timeline.entries.map(\.name) == ["1", "2"])
        #expect(timeline.entries.first?.start == .zero)
        #expect(TimelineFacts(of: timeline).span == 2_000_000)
    }

    @Test func jobObservedLateIsAboveItsTasks() {
        // Given: the tasks of 1 and 2 report events, but 1 and 2 themselves have not
        var recording = TimelineRecording()
        recording.note(event(.started, of: 3, in: 2, at: at(0)))
        recording.jobMissed(2, name(2), at: at(0))
        recording.note(
            event(
                .finished,
                of: 2,
                in: 1,
                at: at(4),
                outcome: .succeeded
            )
        )
        recording.jobMissed(1, name(1), at: at(4))
        // Then
        let timeline = recording.timeline(at: at(9))
        #expect(timeline.entries.map(\.name) == ["1", "2", "3"])
        #expect(timeline.entries.map(\.parent) == [nil, 0, 1])
    }

    @Test func repeatedEventsOfAnOperationOfTwoJobsCountOnce() {
        var recording = ended
        recording.note(event(.started, of: 2, in: 7, at: at(16)))
        recording.note(event(.finished, of: 2, in: 7, at: at(17)))
        let timeline = recording.timeline(at: at(30))
        #expect(timeline.entries.count == 3)
        #expect(timeline.entries[1].end == .milliseconds(5))
        #expect(timeline.entries[1].parent == 0)
    }

    @Test func operationsBeyondTheLimitAreCounted() {
        var recording = TimelineRecording(limit: 2)
        recording.note(event(.started, of: 1, at: at(0)))
        for id in 2...5 {
            for kind in [JobEvent.Kind.tracked, .started, .finished, .delivered] {
                recording.note(event(kind, of: id, in: 1, at: at(id)))
            }
        }
        let timeline = recording.timeline(at: at(30))
        #expect(timeline.entries.map(\.name) == ["1", "2"])
        #expect(timeline.omittedCount == 3)
    }

    @Test func nothingRecordedGivesAnEmptyTimeline() {
        #expect(TimelineRecording().timeline(at: at(0)).entries.isEmpty)
    }
}

extension TimelineRecording {
    fileprivate mutating func note(_ event: JobEvent) { _ = eventRecorded(event) }
}
