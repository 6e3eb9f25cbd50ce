import Foundation
import JobStore
import XCTest

final class JobStoreTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "job-store-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func open() throws -> JobStore { try JobStore(path: folder + "/data") }

    private func new(_ kind: String = "steps", key: String? = nil) -> NewRun {
        NewRun(kind: kind, title: "A run", parameters: "{}", key: key, submittedAt: 1)
    }

    func testRunIsQueuedThenRunningThenEndedOnce() async throws {
        let store = try open()
        let addition = try await store.add(new())
        let record = addition.record
        XCTAssertEqual(addition, .added(record))
        XCTAssertEqual(record.state, .queued)
        let started = try await store.start(record.id, at: 5)
        XCTAssertEqual(started?.record.state, .running)
        XCTAssertEqual(started?.parameters, "{}")
        let again = try await store.start(record.id, at: 6)
        XCTAssertNil(again)
        let ended = try await store.end(
            record.id,
            RunEnd(state: .succeeded, finishedAt: 9, progress: 1, result: "7", timeline: [1, 2])
        )
        XCTAssertEqual(ended?.record.state, .succeeded)
        XCTAssertEqual(ended?.record.finishedAt, 9)
        let second = try await store.end(record.id, RunEnd(state: .failed, finishedAt: 10))
        XCTAssertNil(second?.record)
        let detail = try await store.detail(record.id)
        XCTAssertEqual(detail?.result, "7")
        let timeline = try await store.timeline(record.id)
        XCTAssertEqual(timeline, [1, 2])
    }

    /// The start of a run may be saved after its cancellation, or never.
    func testRunThatWasCancelledWhileItWasQueuedNeverRunsAfterACrash() async throws {
        var store: JobStore? = try open()
        let (first, second) = (
            try await store?.add(new()).record, try await store?.add(new()).record
        )
        let (queued, started) = try (XCTUnwrap(first?.id), XCTUnwrap(second?.id))
        for id in [queued, started] { try await store?.noteCancel(of: id, at: 5) }
        let record = try await store?.start(started, at: 6)?.record
        XCTAssertEqual(record?.cancelRequestedAt, 5)
        store = nil
        let next = try open()
        let recovery = try await next.recover(now: 9, resumable: ["steps"])
        XCTAssertEqual(recovery.queued, [])
        XCTAssertEqual(recovery.resumedIDs, [])
        let states = try await next.list(RunFilter()).runs.map(\.state)
        XCTAssertEqual(states, [.interrupted, .cancelled])
    }

    func testSameKeyIsOneRunAlsoFromManyAtOnce() async throws {
        let store = try open()
        let submission = new(key: "k")
        let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<20 {
                group.addTask { try await store.add(submission).record.id }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        XCTAssertEqual(ids.count, 1)
        let known = try await store.holder(of: "k", like: "steps", nil)
        XCTAssertEqual(known?.record.id, ids.first)
    }

    /// Names that Swift's `String` considers equal are different keys, kinds and parameters.
    func testKeysAndParametersAreComparedByBytes() async throws {
        let store = try open()
        var ids: Set<Int64> = []
        for key in ["\u{E9}", "e\u{301}", "K", "\u{212A}"] {
            ids.insert(try await store.add(new(key: key)).record.id)
        }
        XCTAssertEqual(ids.count, 4)
        var submission = new(key: "folder")
        submission.requested = "{\"folder\":\"/\u{E9}\"}"
        _ = try await store.add(submission)
        let known = try await store.holder(of: "folder", like: "steps", submission.requested)
        guard case .known? = known else { return XCTFail("\(String(describing: known))") }
        submission.requested = "{\"folder\":\"/e\u{301}\"}"
        let other = try await store.add(submission)
        guard case .keyInUse = other else { return XCTFail("\(other)") }
    }

    func testSearchIgnoresCaseAndNormalizationAndHasNoWildcards() async throws {
        let store = try open()
        var ids: [String: Int64] = [:]
        for title in [
            "société", "SOCIÉTÉ", "socie\u{301}te\u{301}", "Straße", "100 %", "a_b",
            "\u{212A}elvin",
            "nul\u{0}title", "ΣΊΣΥΦΟΣ",
        ] {
            var submission = new()
            submission.title = title
            ids[title] = try await store.add(submission).record.id
        }
        func found(_ text: String) async throws -> Int {
            try await store.list(RunFilter(text: text)).runs.count
        }
        for text in ["société", "SOCIÉTÉ", "SOCIE\u{301}TÉ", "sOCié"] {
            let count = try await found(text)
            XCTAssertEqual(count, 3, text)
        }
        let expected = [
            "STRASSE": 1, "%": 1, "%\u{301}": 0, "_": 1, "_\u{301}": 0, "kelvin": 1, "KELVIN": 1,
            "title": 1, "σίσυφος": 1, "!": 0, "": 9,
        ]
        for (text, count) in expected {
            let number = try await found(text)
            XCTAssertEqual(number, count, text)
        }
    }

    func testRepetitionWaitsForTheNextAttemptAndMovesTheSchedule() async throws {
        let store = try open()
        let due = try await store.add(new(), for: "nightly", at: 1)
        let first = try XCTUnwrap(due).id
        _ = try await store.start(first, at: 2)
        let ended = try await store.end(
            first,
            RunEnd(state: .failed, finishedAt: 3),
            next: NewRun(
                kind: "steps",
                title: "A run",
                parameters: "{}",
                previousID: first,
                submittedAt: 3,
                journalID: first
            )
        )
        let second = try XCTUnwrap(ended?.next).id
        // The schedule waits for the attempt, which has not started.
        let record = try await store.schedule("nightly")
        XCTAssertEqual(record?.lastAt, 1)
        XCTAssertEqual(record?.runID, second)
        XCTAssertEqual(record?.isBusy, true)
        let third = try await store.add(new(), for: "nightly", at: 4)
        XCTAssertNil(third)
        let refused = try await store.repeatRun(first, as: new())
        XCTAssertEqual(refused, .followed(by: second))
        _ = try await store.end(second, RunEnd(state: .cancelled, finishedAt: 5))
        guard case .added(let repetition) = try await store.repeatRun(first, as: new()) else {
            return XCTFail("The repetition was refused")
        }
        let again = try await store.repeatRun(first, as: new())
        XCTAssertEqual(again, .followed(by: repetition.id))
        // The schedule's run is the second one, which has not been repeated.
        let busy = try await store.schedule("nightly")?.isBusy
        XCTAssertEqual(busy, false)
        let follower = try await store.follower(of: first)
        XCTAssertEqual(follower, repetition.id)
        let deletions = [
            try await store.delete(second), try await store.delete(first),
            try await store.delete(repetition.id), try await store.delete(99),
        ]
        XCTAssertEqual(
            deletions,
            [.deleted(journalID: nil), .deleted(journalID: nil), .notEnded, .unknown]
        )
        _ = try await store.end(repetition.id, RunEnd(state: .failed, finishedAt: 6))
        let last = try await store.delete(repetition.id)
        XCTAssertEqual(last, .deleted(journalID: first))
    }

    func testResumedRunTakesThePlaceOfItsScheduledOne() async throws {
        let store = try open()
        let due = try await store.add(new(), for: "nightly", at: 1)
        let first = try XCTUnwrap(due).id
        _ = try await store.start(first, at: 2)
        let recovery = try await store.recover(now: 3, resumable: ["steps"])
        let record = try await store.schedule("nightly")
        XCTAssertEqual(record?.runID, recovery.resumedIDs.first)
        XCTAssertEqual(record?.isBusy, true)
    }

    func testRecoveryInterruptsWhatRanAndRepeatsWhatMayBe() async throws {
        let ids = try await left()
        let store = try open()
        let recovery = try await store.recover(now: 50, resumable: ["steps"])
        XCTAssertEqual(recovery.interruptedIDs, [ids[0], ids[1]])
        XCTAssertEqual(recovery.resumedIDs.count, 1)
        XCTAssertEqual(recovery.queued.map(\.id), [ids[2]] + recovery.resumedIDs)
        let resumed = try await store.detail(recovery.resumedIDs[0])?.record
        XCTAssertEqual(resumed?.previousID, ids[0])
        XCTAssertEqual(resumed?.attempt, 2)
        let interrupted = try await store.detail(ids[0])?.record
        XCTAssertEqual(interrupted?.state, .interrupted)
        XCTAssertEqual(interrupted?.finishedAt, 50)
        let second = try await store.recover(now: 60, resumable: ["steps"])
        XCTAssertEqual(second.interruptedIDs, [])
        XCTAssertEqual(second.queued, recovery.queued)
    }

    /// Leaves two running runs, one of them of a repeatable kind, and a queued run.
    private func left() async throws -> [Int64] {
        let store = try open()
        var ids: [Int64] = []
        for kind in ["steps", "other", "steps"] {
            ids.append(try await store.add(new(kind)).record.id)
        }
        _ = try await store.start(ids[0], at: 2)
        _ = try await store.start(ids[1], at: 2)
        return ids
    }

    func testOldRunsAreDeletedAndTheirNumbersNotUsedAgain() async throws {
        let store = try open()
        let ended = try await store.add(new(key: "k")).record.id
        _ = try await store.end(ended, RunEnd(state: .failed, finishedAt: 9, timeline: [1]))
        let queued = try await store.add(new()).record.id
        let early = try await store.deleteRuns(endedBefore: 9)
        XCTAssertEqual(early, 0)
        let count = try await store.deleteRuns(endedBefore: 10)
        XCTAssertEqual(count, 1)
        let timeline = try await store.timeline(ended)
        XCTAssertNil(timeline)
        let left = try await store.list(RunFilter()).runs
        XCTAssertEqual(left.map(\.id), [queued])
        _ = try await store.end(queued, RunEnd(state: .failed, finishedAt: 9))
        _ = try await store.deleteRuns(endedBefore: 10)
        let next = try await store.add(new(key: "k")).record.id
        XCTAssertGreaterThan(next, queued)
    }

    func testListsAreNewestFirstByStateAndBefore() async throws {
        let store = try open()
        var ids: [Int64] = []
        for _ in 0..<5 { ids.append(try await store.add(new()).record.id) }
        _ = try await store.end(ids[1], RunEnd(state: .failed, finishedAt: 9))
        let page = try await store.list(RunFilter(limit: 2, before: ids[4])).runs
        XCTAssertEqual(page.map(\.id), [ids[3], ids[2]])
        let failed = try await store.list(RunFilter(states: [.failed])).runs
        XCTAssertEqual(failed.map(\.id), [ids[1]])
        let some = try await store.runs([ids[0], 999])
        XCTAssertEqual(some.map(\.id), [ids[0]])
    }

    func testPausesOutlastARestart() async throws {
        var store: JobStore? = try open()
        let first = try await store?.pause("a", true)
        let second = try await store?.pause(nil, true)
        _ = try await store?.pause("b", true)
        let third = try await store?.pause("b", false)
        XCTAssertEqual(first?.kinds, ["a"])
        XCTAssertEqual(second?.isPaused, true)
        XCTAssertGreaterThan(third?.revision ?? 0, second?.revision ?? 0)
        store = nil
        store = try open()
        let found = try await store?.recover(now: 1).pauses
        XCTAssertEqual(found?.isPaused, true)
        XCTAssertEqual(found?.kinds, ["a"])
        let fourth = try await store?.pause(nil, false)
        XCTAssertEqual(fourth?.isPaused, false)
        XCTAssertEqual(fourth?.kinds, ["a"])
    }

    func testProgressIsNotedWhileARunRuns() async throws {
        let store = try open()
        var record = try await store.add(new()).record
        _ = try await store.start(record.id, at: 2)
        (record.progress, record.tasksTracked, record.tasksFinished) = (0.5, 10, 5)
        try await store.noteProgress(of: [record])
        let noted = try await store.detail(record.id)?.record
        XCTAssertEqual(noted?.tasksFinished, 5)
        let ended = try await store.end(record.id, RunEnd(state: .interrupted, finishedAt: 3))
        XCTAssertEqual(ended?.record.progress, 0.5)
    }

    func testSecondServerOnTheFileIsRefused() throws {
        let store = try open()
        XCTAssertThrowsError(try open()) { error in
            XCTAssertTrue("\(error)".contains("Another server"), "\(error)")
        }
        withExtendedLifetime(store) {}
    }

    func testFilesThatAreNoDatabaseAreRefused() throws {
        let path = folder + "/data"
        try Data("This is a text, and long enough to be taken for something else.".utf8)
            .write(to: URL(filePath: path))
        XCTAssertThrowsError(try open()) { error in
            XCTAssertEqual("\(error)", "The file \(path) is no database.")
        }
        XCTAssertThrowsError(try JobStore(path: folder))
        XCTAssertThrowsError(try JobStore(path: folder + "/missing/data"))
    }
}
