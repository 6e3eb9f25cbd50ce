import Foundation
import JobKitTesting
import JobStore
import Logging
import XCTest

@testable import JobService

final class SweeperTests: XCTestCase {
    func testRunsThatEndedLongAgoAreDeletedOnceADayAndQueuedOnesNever() async throws {
        let path = NSTemporaryDirectory() + "sweeper-\(UUID().uuidString).sqlite"
        addTeardownBlock {
            for end in ["", "-wal", "-shm", "-journal", ".lock"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let store = try JobStore(path: path)
        let (old, queued) = (try await add(to: store), try await add(to: store))
        let clock = ManualClock()
        let logger = Logger(label: "sweeper") { _ in SwiftLogNoOpLogHandler() }
        let sweeper = Sweeper(store: store, days: 30, logger: logger, clock: clock)
        let sweeping = Task { try await sweeper.run() }

        await clock.waitForDeadline(.init(elapsed: .seconds(86_400)))
        _ = try await store.end(old, RunEnd(state: .succeeded, finishedAt: 1))
        let recent = try await add(to: store)
        _ = try await store.end(recent, RunEnd(state: .succeeded, finishedAt: RunClock.now))
        clock.advance(by: .seconds(86_400))
        // The next sweep is waited for when this one is over.
        await clock.waitForDeadline(.init(elapsed: .seconds(2 * 86_400)))
        let first = try await store.runs(limit: 10)
        XCTAssertEqual(first.map(\.id), [recent, queued])

        _ = try await store.end(queued, RunEnd(state: .failed, finishedAt: 1))
        clock.advance(by: .seconds(86_400))
        await clock.waitForDeadline(.init(elapsed: .seconds(3 * 86_400)))
        let second = try await store.runs(limit: 10)
        XCTAssertEqual(second.map(\.id), [recent])
        sweeping.cancel()
        _ = await sweeping.result
    }

    private func add(to store: JobStore) async throws -> Int64 {
        let run = NewRun(kind: "steps", title: "Steps", parameters: "{}", submittedAt: 0)
        return try await store.add(run).record.id
    }
}
