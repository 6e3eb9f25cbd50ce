import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// B10 to B12 on live outboxes: attempts that are stopped, the end of a session, and sizes.
final class OutboxEndTests: XCTestCase {
    func testTheClosedOutboxRefusesAndTheFileIsFree() async throws {  // B10
        let folder = TemporaryFolder(self)
        let began = Gate()
        let outbox = try folder.outbox { _, _ in
            began.open()
            try await Task.sleep(for: .seconds(1_000))
        }
        let id = try outbox.add("a")
        await began.waitUntilOpen()
        XCTAssertThrowsError(try folder.outbox { _, _ in }) {
            XCTAssertEqual(($0 as? JobJournal.InUseError)?.job, "outbox")
        }
        _ = try JobJournal(at: folder.url, job: "outbox")
        let waiting = Task { try await outbox.waitForFinish(of: id) }
        await outbox.close()
        await assertCancelled { try await waiting.value }
        XCTAssertThrowsError(try outbox.add("b")) { XCTAssertTrue($0 is JobJournal.WriteError) }
        XCTAssertThrowsError(try outbox.remove(id)) { XCTAssertTrue($0 is JobJournal.WriteError) }
        XCTAssertThrowsError(try outbox.removeAll()) { XCTAssertTrue($0 is JobJournal.WriteError) }
        XCTAssertThrowsError(try outbox.retry(id)) { XCTAssertTrue($0 is JobJournal.WriteError) }
        let next = try folder.outbox { _, attempt in
            XCTAssertTrue(attempt.mayHaveBegun)
            XCTAssertEqual(attempt.interruptions, 0)
            XCTAssertEqual(attempt.failureCount, 0)
        }
        try await next.waitForFinish(of: id)
        await next.close()
    }

    func testCodeThatIgnoresItsCancellationIsLeft() async throws {  // B10
        let folder = TemporaryFolder(self)
        let (began, release, clock) = (Gate(), Gate(), ManualClock())
        let outbox = try folder.outbox(.with { $0.clock = clock }) { _, _ in
            began.open()
            await release.waitUntilOpen()
        }
        try outbox.add("a")
        await began.waitUntilOpen()
        let closing = Task { await outbox.close(stopWithin: .seconds(5)) }
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(5)))
        clock.advance(by: .seconds(5))
        await closing.value
        let next = try folder.outbox { _, attempt in XCTAssertEqual(attempt.interruptions, 0) }
        release.open()
        await next.waitUntilIdle()
        XCTAssertEqual(next.counts.performing, 0)
        await next.close()
    }

    func testTheLastReferenceClosesTheOutbox() async throws {  // B10
        let folder = TemporaryFolder(self)
        var outbox: JobOutbox<String>? = try folder.outbox { _, _ in }
        try outbox?.add("a", notBefore: .distantFuture)
        outbox = nil
        while true {
            if let next = try? folder.outbox() {
                XCTAssertEqual(next.counts.delayed, 1)
                await next.close()
                return
            }
            await Task.yield()
        }
    }

    func testRemovingAPerformingEntryCancelsIt() async throws {
        let folder = TemporaryFolder(self)
        let (began, log) = (Gate(), EventLog())
        let outbox = try folder.outbox { item, _ in
            log.record("\(item) begins")
            guard item == "a" else { return }
            began.open()
            do { try await Task.sleep(for: .seconds(1_000)) } catch {
                log.record("\(item) ends")
                throw error
            }
        }
        let id = try outbox.add("a", key: "k")
        await began.waitUntilOpen()
        try outbox.add("b", key: "k")
        XCTAssertTrue(try outbox.remove(id))
        await outbox.waitUntilIdle()
        XCTAssertEqual(log.events, ["a begins", "a ends", "b begins"])
        await outbox.close()
    }

    func testTimedOutAttemptIsAFailure() async throws {  // B12
        let (folder, clock, began) = (TemporaryFolder(self), ManualClock(), Gate())
        let outbox = try folder.outbox(
            .with {
                $0.clock = clock
                $0.maximumRuntime = .seconds(3)
                $0.onFailure = { error, _, _ in error is OperationTimeoutError ? .park : .drop }
            }
        ) { _, _ in
            began.open()
            try await Task.sleep(for: .seconds(1_000))
        }
        try outbox.add("a")
        // An attempt that times out before it is performed would be followed by another one.
        await began.waitUntilOpen()
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(3)))
        clock.advance(by: .seconds(3))
        await outbox.waitUntilIdle()
        XCTAssertEqual(outbox.counts.parked, 1)
        await outbox.close()
    }

    func testItemsAreLimitedAndMustBeEncodable() async throws {  // B11
        let folder = TemporaryFolder(self)
        var calls = FileCalls.system
        calls.sizeLimit = 1_000
        let outbox = try JobOutbox<String>(
            at: folder.url,
            "outbox",
            .with { $0.suspendedFor = ["test"] },
            calls: calls
        ) { _, _ in }
        let (large, half) = (String(repeating: "x", count: 999), String(repeating: "x", count: 498))
        XCTAssertThrowsError(try outbox.add(large)) { XCTAssertTrue($0 is JobJournal.WriteError) }
        XCTAssertThrowsError(try outbox.add(contentsOf: [half, half + "x"])) {
            XCTAssertTrue($0 is JobJournal.WriteError)
        }
        XCTAssertEqual(outbox.entries().count, 0)
        XCTAssertEqual(try outbox.add(contentsOf: [half, half]).count, 2)
        await outbox.close()
        let numbers = try JobOutbox<Double>(at: folder.url, name: "numbers") { _, _ in }
        XCTAssertThrowsError(try numbers.add(.nan)) { XCTAssertTrue($0 is EncodingError) }
        let many = Array(repeating: 1.5, count: 99) + [.nan]
        XCTAssertThrowsError(try numbers.add(contentsOf: many)) {
            XCTAssertTrue($0 is EncodingError)
        }
        XCTAssertEqual(try numbers.add(contentsOf: []), [])
        XCTAssertEqual(numbers.entries().count, 0)
        await numbers.close()
    }

    func testItemsOfABatchAreKeptAsTheyAre() async throws {  // B1
        let folder = TemporaryFolder(self)
        var configuration = OutboxConfiguration<[String: [String?]]>()
        configuration.suspendedFor = ["test"]
        let outbox = try JobOutbox(at: folder.url, name: "batch", configuration: configuration) {
            _,
            _ in
        }
        for count in [1, 3, 63, 64, 201] {
            let items = (0..<count)
                .map { number in
                    ["\(number)": [nil, ",", "\"],{", "\\\",", "[", "NaN", ""], "é\n": []]
                }
            let ids = try outbox.add(contentsOf: items)
            XCTAssertEqual(try ids.map { try outbox.item($0) }, items)
        }
        await outbox.close()
    }
}

extension XCTestCase {
    func assertCancelled(_ body: () async throws -> Void) async {
        do {
            try await body()
            XCTFail("no error")
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)")
        }
    }
}
