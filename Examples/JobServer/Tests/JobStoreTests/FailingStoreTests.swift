import Foundation
import GRDB
import Synchronization
import XCTest

@testable import JobStore

/// Tests a store with a failing disk.
final class FailingStoreTests: XCTestCase {
    private struct Broken: Error, CustomStringConvertible {
        let description = "Input/output error"
    }

    private final class Disk: Sendable {
        let isBroken = Mutex(false)
        let news = Mutex<[StoreNews]>([])
        let changed = AsyncStream<StoreNews>.makeStream()
    }

    private func makeStore() throws -> (JobStore, Disk, String) {
        let folder = NSTemporaryDirectory() + "failing-store-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        addTeardownBlock { try? FileManager.default.removeItem(atPath: folder) }
        let disk = Disk()
        let store = try JobStore(
            path: folder + "/data",
            durability: .crash,
            patience: 0.1,
            fault: { if disk.isBroken.withLock({ $0 }) { throw Broken() } },
            told: { news in
                disk.news.withLock { $0.append(news) }
                disk.changed.continuation.yield(news)
            }
        )
        return (store, disk, folder)
    }

    private let new = NewRun(kind: "steps", title: "A run", parameters: "{}", submittedAt: 1)

    func testAnEndThatCannotBeWrittenWaitsAndAllElseIsRefusedMeanwhile() async throws {
        let (store, disk, _) = try makeStore()
        let id = try await store.add(new).record.id
        let queued = try await store.add(new).record.id
        _ = try await store.start(id, at: 5)
        disk.isBroken.withLock { $0 = true }
        let end = Task { try await store.end(id, RunEnd(state: .succeeded, finishedAt: 9)) }
        var changes = disk.changed.stream.makeAsyncIterator()
        let first = await changes.next()
        XCTAssertEqual(first, .failing("Input/output error"))
        XCTAssertEqual(store.failure, "Input/output error")
        for refused in [
            { _ = try await store.add(self.new) }, { _ = try await store.prioritize(queued, 4) },
            { try await store.probe() },
        ] as [() async throws -> Void] {
            do {
                try await refused()
                XCTFail("It was written")
            } catch {
                XCTAssertEqual(error as? StoreFailed, StoreFailed(reason: "Input/output error"))
            }
        }
        let start = Task { try await store.start(queued, at: 6) }
        try await waitUntil { store.unwrittenCount == 2 }
        let meanwhile = try await store.detail(id)
        XCTAssertEqual(meanwhile?.record.state, .running)
        disk.isBroken.withLock { $0 = false }
        let ended = try await end.value
        XCTAssertEqual(ended?.record.state, .succeeded)
        let started = try await start.value
        XCTAssertEqual(started?.record.state, .running)
        let second = await changes.next()
        XCTAssertEqual(second, .back)
        XCTAssertNil(store.failure)
        try await store.probe()
        let all = disk.news.withLock { $0 }
        XCTAssertEqual(all, [.failing("Input/output error"), .back])
    }

    func testAFileThatIsGoneOrReplacedIsTold() async throws {
        for name in ["data", "data-wal"] {
            let (store, disk, folder) = try makeStore()
            let id = try await store.add(new).record.id
            XCTAssertEqual(rename("\(folder)/\(name)", "\(folder)/away"), 0)
            if name == "data" { try Data().write(to: URL(filePath: folder + "/data")) }
            do {
                _ = try await store.add(new)
                XCTFail("It was written to a file that nobody finds")
            } catch let error as StoreFailed {
                XCTAssertTrue(error.reason.contains(name), error.reason)
            }
            do {
                _ = try await store.start(id, at: 1)
                XCTFail("It was written to a file that nobody finds")
            } catch {
                XCTAssertTrue(error is StoreFailed)
            }
            let news = disk.news.withLock { $0 }
            guard case .lost? = news.first, news.count == 1 else { return XCTFail("\(news)") }
        }
    }

    func testAnAnswerWaitsForTheDiskUnlessACrashAloneIsSurvived() async throws {
        for (durability, level) in [(Durability.powerLoss, 2), (.crash, 1)] {
            let path = NSTemporaryDirectory() + "durable-\(UUID().uuidString)"
            addTeardownBlock {
                for end in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + end)
                }
            }
            let store = try JobStore(path: path, durability: durability)
            let found = try await store.writer.write { database in
                try Int.fetchOne(database, sql: "PRAGMA synchronous")
            }
            XCTAssertEqual(found, level)
        }
    }

    private func waitUntil(_ isSo: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(300)
        while !isSo(), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        XCTAssertTrue(isSo())
    }
}
