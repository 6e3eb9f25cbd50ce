import Foundation
import JobJournal
import JobKit
import XCTest

/// The names and signatures of an outbox on which users' code depends.
final class ContractOutbox: XCTestCase {
    private struct Photo: Codable, Sendable, Equatable { var name: String }

    func testConfiguration() {
        var configuration = OutboxConfiguration<Photo>()
        let _: (Int, JobJournal.Safety, Set<String>) = (
            configuration.concurrencyLimit, configuration.safety, configuration.suspendedFor
        )
        let _: (Int?, Duration?, Duration?) = (
            configuration.interruptionLimit, configuration.maximumRuntime,
            configuration.maximumStopTime
        )
        configuration.retryPolicy = .exponential(attempts: 2, initialDelay: .zero)
        configuration.clock = ContinuousClock()
        configuration.now = { Date() }
        configuration.onFailure = {
            (error: any Error, _: Photo, _: OutboxAttempt) -> OutboxFailureResponse in
            .standard(for: error)
        }
        let responses: Set<OutboxFailureResponse> = [
            .retry(), .retry(after: .seconds(1)), .retryUncharged(), .retryUncharged(after: .zero),
            .suspend(for: "sign-in"), .park, .parkAside, .drop,
        ]
        XCTAssertEqual(responses.count, 8)
        XCTAssertEqual(configuration.concurrencyLimit, 4)
        XCTAssertEqual(configuration.interruptionLimit, 5)
        XCTAssertEqual(OutboxFailureResponse.standard(for: URLError(.timedOut)), .retry())
        for code in [
            URLError.Code.notConnectedToInternet, .networkConnectionLost, .cannotFindHost,
            .dataNotAllowed,
        ] {
            let response = OutboxFailureResponse.standard(for: URLError(code))
            XCTAssertEqual(response, .retryUncharged())
        }
        let cancelled = OutboxFailureResponse.standard(for: CancellationError())
        XCTAssertEqual(cancelled, .retryUncharged())
    }

    func testOutbox() async throws {
        let folder = TemporaryFolder(self).url
        var configuration = OutboxConfiguration<Photo>()
        configuration.suspendedFor = ["test"]
        let outbox = try JobOutbox<Photo>(at: folder, name: "photos", configuration: configuration)
        {
            (photo: Photo, attempt: OutboxAttempt) in
            let _: (OutboxEntry.ID, String?, String?) = (
                attempt.id, attempt.key, attempt.deduplicationID
            )
            let _: (Int, Int, String, Bool, Int, Date) = (
                attempt.failureCount, attempt.chargedFailureCount, attempt.idempotencyKey,
                attempt.mayHaveBegun, attempt.interruptions, attempt.addedAt
            )
        }
        let events: AsyncStream<OutboxEvent> = outbox.events()
        try outbox.add(Photo(name: "a"))
        let id: OutboxEntry.ID = try outbox.add(
            Photo(name: "b"),
            key: "k",
            deduplicationID: "d",
            duplicates: .replace,
            notBefore: nil
        )
        let ids: [OutboxEntry.ID] = try outbox.add(
            contentsOf: [Photo(name: "c")],
            key: { $0.name },
            deduplicationID: { $0.name },
            duplicates: .join
        )
        try outbox.add(contentsOf: [Photo(name: "d")])
        try await outbox.flush()
        outbox.suspend(for: "sign-in")
        outbox.resume(for: "sign-in")
        outbox.retryNow()
        try outbox.retry(id)
        XCTAssertEqual(OutboxEntry.ID(id.description), id)
        let coded = try JSONDecoder().decode([OutboxEntry.ID].self, from: JSONEncoder().encode(ids))
        XCTAssertEqual(coded, ids)
        let entries: [OutboxEntry] = outbox.entries(key: "k", limit: 5)
        let entry = try XCTUnwrap(entries.first)
        let _: (OutboxEntry.ID, String?, String?, OutboxEntry.State) = (
            entry.id, entry.key, entry.deduplicationID, entry.state
        )
        let _: (Int, Bool, String?, Date) = (
            entry.failureCount, entry.mayHaveBegun, entry.lastError, entry.addedAt
        )
        switch entry.state {
        case .waiting, .delayed(until: _), .parked(holdsKey: _), .performing: break
        }
        XCTAssertEqual(try outbox.item(id), Photo(name: "b"))
        let counts: OutboxCounts = outbox.counts
        XCTAssertEqual(
            [counts.waiting, counts.delayed, counts.parked, counts.performing],
            [4, 0, 0, 0]
        )
        let text: String = outbox.explain(limit: 20)
        XCTAssertTrue(text.contains("test"), text)
        XCTAssertTrue(try outbox.remove(id))
        XCTAssertFalse(try outbox.remove(id))
        let removed: [OutboxEntry] = try outbox.removeAll(key: "c")
        XCTAssertEqual(removed.map(\.id), ids)
        try outbox.removeAll()
        outbox.resume(for: "test")
        let last = try outbox.add(Photo(name: "e"))
        try await outbox.waitForFinish(of: last)
        await outbox.waitUntilIdle()
        await outbox.close(stopWithin: .seconds(1))
        await outbox.close()
        var kinds: [OutboxEvent.Kind] = []
        for await event in events {
            let _: (OutboxEntry.ID, String?, String?) = (event.id, event.key, event.error)
            kinds.append(event.kind)
        }
        XCTAssertEqual(Set(kinds), [.added, .removed, .began, .finished])
        let salvage: OutboxSalvage = try OutboxFile.salvage(at: folder, name: "photos")
        let _: (Int, Int, URL?) = (salvage.keptCount, salvage.lostByteCount, salvage.damagedFile)
        XCTAssertNil(salvage.damagedFile)
        try OutboxFile.delete(at: folder, name: "photos")
        try OutboxFile.delete(at: folder, name: "photos")
        let error = OutboxInterruptedError(id: last, interruptions: 2)
        XCTAssertEqual(error.errorDescription, error.description)
    }
}
