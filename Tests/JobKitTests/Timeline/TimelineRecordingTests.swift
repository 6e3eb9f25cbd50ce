import Foundation
import Testing

@testable import JobKit

@Suite struct TimelineRecordingTests {
    private let origin = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
        origin + .milliseconds(milliseconds)
    }

    private func subject(_ id: Int, parent: Int? = nil) -> TimelineRecording.Subject {
        TimelineRecording.Subject(
            id: id,
            parentID: parent,
            name: "\(id)",
            type: SampleTimelines.Upload.self
        )
    }

    /// A job, 1, with the task 2, and the task 3 behind it.
    private var ended: TimelineRecording {
        var recording = TimelineRecording()
        recording.eventRecorded(.started, of: subject(1), at: at(5))
        recording.eventRecorded(.tracked, of: subject(2, parent: 1), at: at(6))
        recording.eventRecorded(.started, of: subject(2, parent: 1), at: at(7))
        recording.eventRecorded(
            .finished,
            of: subject(2, parent: 1),
            at: at(10),
            outcome: .cancelled
        )
        recording.eventRecorded(
            .tracked,
            of: subject(3, parent: 1),
            at: at(11),
            predecessorIDs: [2]
        )
        recording.eventRecorded(.delivered, of: subject(2, parent: 1), at: at(12))
        recording.eventRecorded(
            .started,
            of: subject(3, parent: 1),
            at: at(13),
            predecessorIDs: [99]
        )
        recording.eventRecorded(
            .finished,
            of: subject(3, parent: 1),
            at: at(15),
            outcome: .succeeded
        )
        recording.eventRecorded(.finished, of: subject(1), at: at(20), outcome: .succeeded)
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

    @Test func whatStillRunsEndsNow() {
        var recording = TimelineRecording()
        recording.eventRecorded(.started, of: subject(1), at: at(5))
        recording.eventRecorded(.started, of: subject(4, parent: 1), at: at(18))
        let entries = recording.timeline(at: at(30)).entries
        #expect(entries.map(\.name) == ["1", "4"])
        #expect(entries.allSatisfy { $0.outcome == nil && $0.end == .milliseconds(25) })
    }

    /// A job tells nothing of what it has not waited for; its timeline does not grow for ever.
    @Test func whatTheJobDidNotWaitForEndsWithTheJob() {
        var recording = ended
        recording.eventRecorded(.started, of: subject(4, parent: 1), at: at(17))
        recording.eventRecorded(.started, of: subject(5, parent: 4), at: at(18))
        let entries = recording.timeline(at: at(1_000)).entries
        #expect(entries.suffix(2).map(\.name) == ["4", "5"])
        #expect(entries.suffix(2).allSatisfy { $0.outcome == nil && $0.end == .milliseconds(15) })
    }

    @Test func whatWasNotStartedIsNoEntry() {
        var recording = ended
        recording.eventRecorded(.tracked, of: subject(4, parent: 1), at: at(18))
        #expect(recording.timeline(at: at(30)).entries.count == 3)
    }

    @Test func operationWithoutAStartCountsFromItsTracking() {
        var recording = ended
        recording.eventRecorded(.tracked, of: subject(4, parent: 1), at: at(15))
        recording.eventRecorded(.finished, of: subject(4, parent: 1), at: at(18))
        let entry = recording.timeline(at: at(30)).entries.last
        #expect(entry?.start == .milliseconds(10))
        #expect(entry?.end == .milliseconds(13))
        #expect(entry?.outcomeWord == "succeeded")
    }

    @Test func tasksTrackedBeforeTheJobStartsLeaveNoGap() {
        var recording = TimelineRecording()
        recording.eventRecorded(.tracked, of: subject(2, parent: 1), at: at(0))
        recording.jobSeen(subject(1), at: at(0))
        recording.eventRecorded(.started, of: subject(1), at: at(500))
        recording.eventRecorded(.started, of: subject(2, parent: 1), at: at(501))
        let timeline = recording.timeline(at: at(502))
        #expect(timeline.entries.map(\.name) == ["1", "2"])
        #expect(timeline.entries.first?.start == .zero)
        #expect(timeline.span == .milliseconds(2))
    }

    @Test func jobThatWasObservedLateStandsAboveItsTasks() {
        // Given: nothing is known of 1 and 2 but that their tasks tell of themselves
        var recording = TimelineRecording()
        recording.eventRecorded(.started, of: subject(3, parent: 2), at: at(0))
        recording.jobSeen(subject(2), at: at(0))
        recording.eventRecorded(
            .finished,
            of: subject(2, parent: 1),
            at: at(4),
            outcome: .succeeded
        )
        recording.jobSeen(subject(1), at: at(4))
        // Then
        let timeline = recording.timeline(at: at(9))
        #expect(timeline.entries.map(\.name) == ["2", "3", "1"])
        #expect(timeline.entries.map(\.parent) == [2, 0, nil])
    }

    @Test func repeatedEventsOfAnOperationOfTwoJobsCountOnce() {
        var recording = ended
        recording.eventRecorded(.started, of: subject(2, parent: 7), at: at(16))
        recording.eventRecorded(.finished, of: subject(2, parent: 7), at: at(17))
        let timeline = recording.timeline(at: at(30))
        #expect(timeline.entries.count == 3)
        #expect(timeline.entries[1].end == .milliseconds(5))
        #expect(timeline.entries[1].parent == 0)
    }

    @Test func nothingRecordedGivesAnEmptyTimeline() {
        #expect(TimelineRecording().timeline(at: at(0)).entries.isEmpty)
    }
}
