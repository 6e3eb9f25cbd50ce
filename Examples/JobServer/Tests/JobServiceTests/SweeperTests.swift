import Foundation
import JobKitTesting
import JobStore
import Logging
import Synchronization
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
        let day = Mutex<Int64>(100)
        let sweeper = Sweeper(
            store: store,
            days: 30,
            logger: logger,
            clock: clock,
            now: { day.withLock { $0 } * 86_400_000 }
        )
        let sweeping = Task { try await sweeper.run() }

        await clock.waitForDeadline(.init(elapsed: .seconds(86_400)))
        _ = try await store.end(old, RunEnd(state: .succeeded, finishedAt: 1))
        let recent = try await add(to: store)
        _ = try await store.end(recent, RunEnd(state: .succeeded, finishedAt: 101 * 86_400_000))
        day.withLock { $0 = 101 }
        clock.advance(by: .seconds(86_400))
        // When the sweep has ended, the sweeper waits for the next one.
        await clock.waitForDeadline(.init(elapsed: .seconds(2 * 86_400)))
        let first = try await store.list(RunFilter()).runs
        XCTAssertEqual(first.map(\.id), [recent, queued])

        _ = try await store.end(queued, RunEnd(state: .failed, finishedAt: 1))
        // The clock jumps by a month, so nothing is deleted on that day.
        day.withLock { $0 = 140 }
        clock.advance(by: .seconds(86_400))
        await clock.waitForDeadline(.init(elapsed: .seconds(3 * 86_400)))
        let jumped = try await store.list(RunFilter()).runs
        XCTAssertEqual(jumped.map(\.id), [recent, queued])
        clock.advance(by: .seconds(86_400))
        await clock.waitForDeadline(.init(elapsed: .seconds(4 * 86_400)))
        let second = try await store.list(RunFilter()).runs
        XCTAssertEqual(second.map(\.id), [recent])
        sweeping.cancel()
        _ = await sweeping.result
    }

    /// After a long pause or with a wrong clock, a start deletes at most half of the runs.
    func testAStartDeletesNoMoreThanHalfAndCountsFromTheNewestEnd() async throws {
        let path = NSTemporaryDirectory() + "sweeper-\(UUID().uuidString).sqlite"
        addTeardownBlock {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let store = try JobStore(path: path)
        let day: Int64 = 86_400_000
        let logger = Logger(label: "sweeper") { _ in SwiftLogNoOpLogHandler() }
        func sweep(at time: Int64) async throws -> (String?, Int) {
            let sweeper = Sweeper(store: store, days: 30, logger: logger, now: { time })
            let said = try await sweeper.sweepAtStart()
            return (said.map { "\($0)" }, try await store.list(RunFilter()).runs.count)
        }
        for end: Int64 in [100, 101, 102, 200, 201] {
            let id = try await add(to: store)
            _ = try await store.end(id, RunEnd(state: .succeeded, finishedAt: end * day))
        }
        // The clock is 300 days ahead. Counted from the newest end, three runs are old, which is
        // more than half.
        let ahead = try await sweep(at: 500 * day)
        XCTAssertEqual(ahead.1, 5)
        XCTAssertTrue(ahead.0?.contains("3 of 5") == true, ahead.0 ?? "")
        // The clock was set back, so nothing is old.
        let back = try await sweep(at: 102 * day)
        XCTAssertEqual(back.1, 5)
        XCTAssertNil(back.0)
        for end: Int64 in [202, 203] {
            let id = try await add(to: store)
            _ = try await store.end(id, RunEnd(state: .succeeded, finishedAt: end * day))
        }
        let right = try await sweep(at: 204 * day)
        XCTAssertEqual(right.1, 4)
    }

    /// A clock that is ahead during some runs, and a restart with it, delete nothing.
    func testAClockThatIsAheadDeletesNothingAtAnyNumberOfStarts() async throws {
        let path = NSTemporaryDirectory() + "sweeper-\(UUID().uuidString).sqlite"
        addTeardownBlock {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let store = try JobStore(path: path)
        let (day, logger) = (
            Int64(86_400_000), Logger(label: "sweeper") { _ in SwiftLogNoOpLogHandler() }
        )
        func start(at time: Int64) async throws -> Int {
            let sweeper = Sweeper(store: store, days: 30, logger: logger, now: { time })
            _ = try await sweeper.sweepAtStart()
            return try await store.list(RunFilter()).runs.count
        }
        func end(_ count: Int, at time: Int64) async throws {
            for number in 0..<count {
                let id = try await add(to: store)
                let finished = time + Int64(number)
                _ = try await store.end(id, RunEnd(state: .succeeded, finishedAt: finished))
            }
        }
        _ = try await start(at: 1_000 * day)
        try await end(10, at: 1_000 * day)
        try await end(12, at: 1_365 * day)
        for _ in 0..<3 {
            let count = try await start(at: 1_365 * day)
            XCTAssertEqual(count, 22)
        }
        // In 1970, and then correct again.
        for time in [day, 1_001 * day] {
            let count = try await start(at: time)
            XCTAssertEqual(count, 22)
        }
        // After a day of service, the clock is believed.
        try await store.noteServed(day, at: 1_366 * day)
        let last = try await start(at: 1_366 * day)
        XCTAssertEqual(last, 12)
    }

    private func add(to store: JobStore) async throws -> Int64 {
        let run = NewRun(kind: "steps", title: "Steps", parameters: "{}", submittedAt: 0)
        return try await store.add(run).record.id
    }
}
