import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// B1 to B8 on live outboxes.
final class OutboxTests: XCTestCase {
    private struct Refused: Error, CustomStringConvertible {
        var description = "refused"
    }

    func testEntriesOfAKeyArePerformedInOrderAndSurviveASession() async throws {  // B1, B3
        let (folder, log) = (TemporaryFolder(self), EventLog())
        let first = try folder.outbox(.with { $0.suspendedFor = ["test"] }) { _, _ in }
        for number in 0..<20 { try first.add("\(number)", key: number % 2 == 0 ? "even" : nil) }
        XCTAssertEqual(first.counts.waiting, 20)
        await first.close()
        let second = try folder.outbox { item, attempt in
            log.record(item)
            XCTAssertFalse(attempt.mayHaveBegun)
        }
        await second.waitUntilIdle()
        XCTAssertEqual(second.counts, second.counts)
        XCTAssertEqual(second.counts.waiting, 0)
        XCTAssertEqual(Set(log.events).count, 20)
        let even = log.events.filter { Int($0).map { $0 % 2 == 0 } ?? false }
        XCTAssertEqual(even, (0..<10).map { "\(2 * $0)" })
        await second.close()
    }

    func testFailureIsRepeatedAfterItsDelay() async throws {  // B5, B6
        let (folder, clock, dates) = (TemporaryFolder(self), ManualClock(), Dates())
        let attempts = EventLog()
        let outbox = try folder.outbox(
            .with {
                $0.clock = clock
                $0.now = { dates.now }
                $0.retryPolicy = .exponential(attempts: 3, initialDelay: .seconds(2), jitter: 0)
            }
        ) { _, attempt in
            attempts.record("\(attempt.failureCount) \(attempt.chargedFailureCount)")
            throw Refused()
        }
        let events = outbox.events()
        let id = try outbox.add("a", key: "k")
        await outbox.waitUntilIdle()
        XCTAssertEqual(outbox.counts.delayed, 1)
        XCTAssertEqual(
            outbox.entries().first?.state,
            .delayed(until: dates.now.addingTimeInterval(2))
        )
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(2)))
        dates.advance(by: 2)
        clock.advance(by: .seconds(2))
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(4)))
        // The order is reversed, because only the clock decides.
        clock.advance(by: .seconds(4))
        dates.advance(by: 4)
        for await event in events where event.kind == .failed(.park) {
            XCTAssertEqual(event.error, "refused")
            break
        }
        XCTAssertEqual(attempts.events, ["0 0", "1 1", "2 2"])
        let entry = try XCTUnwrap(outbox.entries().first)
        XCTAssertEqual(entry.state, .parked(holdsKey: true))
        XCTAssertEqual(entry.lastError, "refused")
        XCTAssertEqual(entry.failureCount, 3)
        XCTAssertTrue(outbox.explain().contains("parked"), outbox.explain())
        try outbox.retry(id)
        await outbox.waitUntilIdle()
        XCTAssertEqual(attempts.events.last, "0 0")
        await outbox.close()
    }

    func testTheDelaySurvivesASession() async throws {  // B5
        let (folder, clock, dates) = (TemporaryFolder(self), ManualClock(), Dates())
        func change(_ configuration: inout OutboxConfiguration<String>) {
            configuration.clock = clock
            configuration.now = { dates.now }
            configuration.onFailure = { _, _, _ in .retry(after: .milliseconds(100)) }
        }
        let first = try folder.outbox(.with(change)) { _, _ in throw Refused() }
        try first.add("a")
        await first.waitUntilIdle()
        await first.close()
        dates.advance(by: -1_000)
        let done = Tally()
        let second = try folder.outbox(.with(change)) { _, attempt in
            XCTAssertEqual(attempt.failureCount, 1)
            done.count()
        }
        XCTAssertEqual(second.counts.delayed, 1)
        // The clock was set back, so the entry waits at most for its own delay.
        await clock.waitForDeadline(clock.now.advanced(by: .milliseconds(100)))
        clock.advance(by: .milliseconds(100))
        await second.waitUntilIdle()
        XCTAssertEqual(done.value, 1)
        await second.close()
    }

    func testRetryNowEndsDelaysAndNotDates() async throws {  // B5
        let (folder, clock, dates) = (TemporaryFolder(self), ManualClock(), Dates())
        let done = EventLog()
        let outbox = try folder.outbox(
            .with {
                $0.clock = clock
                $0.now = { dates.now }
            }
        ) { item, attempt in
            if attempt.failureCount == 0 { throw Refused() }
            done.record(item)
        }
        try outbox.add("failed", key: "a")
        try outbox.add("later", key: "b", notBefore: dates.now.addingTimeInterval(60))
        await outbox.waitUntilIdle()
        XCTAssertEqual(outbox.counts.delayed, 2)
        outbox.retryNow()
        await outbox.waitUntilIdle()
        XCTAssertEqual(done.events, ["failed"])
        XCTAssertEqual(outbox.counts.delayed, 1)
        await outbox.close()
    }

    func testDateThatIsNoNumberDelaysNothing() async throws {  // B5
        let folder = TemporaryFolder(self)
        let first = try folder.outbox(.with { $0.suspendedFor = ["test"] })
        try first.add("a", notBefore: Date(timeIntervalSinceReferenceDate: .nan))
        XCTAssertEqual(first.counts.waiting, 1)
        await first.close()
        let second = try folder.outbox()
        await second.waitUntilIdle()
        XCTAssertEqual(second.entries().count, 0)
        await second.close()
    }

    func testResponsesOfOnFailure() async throws {  // B6, B8
        let folder = TemporaryFolder(self)
        let responses: [String: OutboxFailureResponse] = [
            "park": .park, "aside": .parkAside, "drop": .drop, "suspend": .suspend(for: "sign-in"),
        ]
        let outbox = try folder.outbox(
            .with { configuration in
                configuration.suspendedFor = ["test"]
                configuration.concurrencyLimit = 1
                configuration.onFailure = { _, item, _ in responses[item] ?? .retry() }
            }
        ) { item, _ in
            if responses[item] != nil { throw Refused() }
        }
        try outbox.add("park", key: "p")
        try outbox.add("behind", key: "p")
        try outbox.add("aside", key: "a")
        let next = try outbox.add("next", key: "a")
        let dropped = try outbox.add("drop", key: "d")
        let waiting = Task { try await outbox.waitForFinish(of: dropped) }
        outbox.resume(for: "test")
        try await outbox.waitForFinish(of: next)
        await outbox.waitUntilIdle()
        await assertCancelled { try await waiting.value }
        await assertCancelled { try await outbox.waitForFinish(of: dropped) }
        XCTAssertEqual(
            outbox.entries().map(\.state),
            [.parked(holdsKey: true), .waiting, .parked(holdsKey: false)]
        )
        XCTAssertEqual(outbox.counts.parked, 2)
        try outbox.add("suspend")
        await outbox.waitUntilIdle()
        XCTAssertTrue(outbox.explain().contains("sign-in"), outbox.explain())
        XCTAssertEqual(outbox.entries().last?.failureCount, 1)
        try outbox.removeAll()
        XCTAssertEqual(outbox.entries().count, 0)
        await outbox.close()
    }

    func testDuplicates() async throws {  // B4
        let folder = TemporaryFolder(self)
        let (began, release, log) = (Gate(), Gate(), EventLog())
        let outbox = try folder.outbox(.with { $0.concurrencyLimit = 1 }) { item, _ in
            log.record(item)
            if item == "first" {
                began.open()
                await release.waitUntilOpen()
            }
        }
        let first = try outbox.add("first", key: "k", deduplicationID: "d")
        await began.waitUntilOpen()
        let joined = try outbox.add("x", key: "k", deduplicationID: "d", duplicates: .join)
        XCTAssertEqual(joined, first)
        let kept = try outbox.add("second", key: "k", deduplicationID: "d", duplicates: .keep)
        XCTAssertNotEqual(kept, first)
        try outbox.add("third", key: "k")
        let again = try outbox.add("y", key: "k", deduplicationID: "d", duplicates: .keep)
        XCTAssertEqual(again, kept)
        try outbox.add("fourth", key: "k", deduplicationID: "d", duplicates: .replace)
        XCTAssertEqual(
            try outbox.entries().map { try outbox.item($0.id) },
            ["first", "fourth", "third"]
        )
        try outbox.add("elsewhere", key: "l", deduplicationID: "d", duplicates: .replace)
        XCTAssertEqual(outbox.counts.waiting, 3)
        let ids = try outbox.add(
            contentsOf: ["a", "b", "a", "c"],
            deduplicationID: { $0 },
            duplicates: .keep
        )
        XCTAssertEqual(ids[0], ids[2])
        let replaced = try outbox.add(
            contentsOf: ["1", "2", "3"],
            deduplicationID: { _ in "a" },
            duplicates: .replace
        )
        XCTAssertEqual(Set(replaced).count, 3)
        await assertCancelled { try await outbox.waitForFinish(of: replaced[0]) }
        release.open()
        await outbox.waitUntilIdle()
        XCTAssertEqual(
            log.events.filter { ["first", "fourth", "third"].contains($0) },
            ["first", "fourth", "third"]
        )
        XCTAssertEqual(Set(log.events), ["first", "fourth", "third", "elsewhere", "3", "b", "c"])
        await outbox.close()
    }

    func testUnreadableEntryIsKeptForAnotherVersion() async throws {  // B7
        let folder = TemporaryFolder(self)
        let first = try folder.outbox(.with { $0.suspendedFor = ["test"] }) { _, _ in }
        try first.add("text", key: "k")
        await first.close()
        var configuration = OutboxConfiguration<Int>()
        configuration.suspendedFor = ["test"]
        let second = try JobOutbox(at: folder.url, name: "outbox", configuration: configuration) {
            _,
            _ in XCTFail("an item that does not decode was performed")
        }
        let events = second.events()
        second.resume(for: "test")
        for await event in events {
            XCTAssertEqual(event.kind, .failed(.park))
            break
        }
        let entry = try XCTUnwrap(second.entries().first)
        XCTAssertEqual(entry.state, .parked(holdsKey: true))
        XCTAssertEqual(entry.failureCount, 0)
        XCTAssertNotNil(entry.lastError)
        await second.close()
        let log = EventLog()
        let third = try folder.outbox { item, _ in log.record(item) }
        await third.waitUntilIdle()
        XCTAssertEqual(log.events, ["text"])
        await third.close()
    }
}
