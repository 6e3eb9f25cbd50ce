import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

/// B9: failures of the disk, simulated by replacing the system calls.
final class OutboxDiskTests: XCTestCase {
    private final class Disk: Sendable {
        let isFull = Guarded(false)
        let failsSyncs = Guarded(false)
        let failsAt = Guarded(0)
        let writes = Tally()
        let syncs = Tally()

        var calls: FileCalls {
            var calls = FileCalls.system
            calls.write = { [self] file, bytes, offset in
                let number = writes.count()
                guard isFull.withLock({ $0 }) || number == failsAt.withLock({ $0 }) else {
                    return FileCalls.system.write(file, bytes, offset)
                }
                let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
                _ = FileCalls.system.write(file, half, offset)
                return -Int(ENOSPC)
            }
            calls.sync = { [self] file in
                syncs.count()
                return failsSyncs.withLock { $0 } ? -Int(EIO) : FileCalls.system.sync(file)
            }
            return calls
        }
    }

    private func open(
        _ folder: TemporaryFolder,
        _ disk: Disk,
        _ configuration: OutboxConfiguration<String> = OutboxConfiguration(),
        _ perform: @escaping @Sendable (String, OutboxAttempt) async throws -> Void = { _, _ in }
    ) throws -> JobOutbox<String> {
        try JobOutbox(at: folder.url, "outbox", configuration, calls: disk.calls, perform)
    }

    /// The configuration of a suspended outbox that survives a power loss.
    private func synced(_ clock: any Clock<Duration>) -> OutboxConfiguration<String> {
        .with {
            $0.safety = .powerLoss
            $0.suspendedFor = ["test"]
            $0.clock = clock
        }
    }

    func testFailedWriteAddsNothingAndTheNextOneWorks() async throws {
        for number in 2...9 {
            let (folder, disk) = (TemporaryFolder(self), Disk())
            disk.failsAt.withLock { $0 = number }
            let outbox = try open(folder, disk, .with { $0.suspendedFor = ["test"] })
            var expected: [String] = []
            for item in 0..<8 {
                do {
                    let text = String(repeating: "\(item)", count: 100 - 10 * item)
                    try outbox.add(text)
                    expected.append(text)
                } catch {
                    XCTAssertTrue(error is JobJournal.WriteError, "\(error)")
                }
            }
            XCTAssertEqual(expected.count, 7)
            await outbox.close()
            let next = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
            XCTAssertEqual(try next.entries().map { try next.item($0.id) }, expected)
            await next.close()
        }
    }

    func testSuccessThatCannotBeWrittenIsWrittenLater() async throws {
        let (folder, disk, clock) = (TemporaryFolder(self), Disk(), ManualClock())
        let (began, release, performed) = (Gate(), Gate(), EventLog())
        let outbox = try open(folder, disk, .with { $0.clock = clock }) { item, _ in
            performed.record(item)
            guard item == "a" else { return }
            began.open()
            await release.waitUntilOpen()
        }
        let first = try outbox.add("a", key: "k")
        let second = try outbox.add("b", key: "k")
        await began.waitUntilOpen()
        disk.isFull.withLock { $0 = true }
        release.open()
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(1)))
        XCTAssertEqual(outbox.counts.performing, 1)
        XCTAssertThrowsError(try outbox.add("c"))
        XCTAssertTrue(outbox.explain().contains("disk"), outbox.explain())
        clock.advance(by: .seconds(1))
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(2)))
        XCTAssertEqual(performed.events, ["a"])
        disk.isFull.withLock { $0 = false }
        clock.advance(by: .seconds(2))
        try await outbox.waitForFinish(of: first)
        try await outbox.waitForFinish(of: second)
        XCTAssertEqual(performed.events, ["a", "b"])
        await outbox.close()
    }

    func testFailedSyncLeadsToANewFile() async throws {
        let (folder, disk, clock) = (TemporaryFolder(self), Disk(), ManualClock())
        let outbox = try open(folder, disk, synced(clock))
        try outbox.add("a")
        try await outbox.flush()
        try outbox.add("b")
        disk.failsSyncs.withLock { $0 = true }
        do {
            try await outbox.flush()
            XCTFail("no error")
        } catch { XCTAssertTrue(error is JobJournal.WriteError) }
        XCTAssertThrowsError(try outbox.add("c"))
        let before = try inode(folder)
        disk.failsSyncs.withLock { $0 = false }
        try outbox.add("d")
        XCTAssertNotEqual(try inode(folder), before)
        try await outbox.flush()
        await outbox.close()
        let next = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(try next.entries().map { try next.item($0.id) }, ["a", "b", "d"])
        await next.close()
    }

    func testFailedSyncOfAnAddLeadsToANewFile() async throws {
        let (folder, disk) = (TemporaryFolder(self), Disk())
        var calls = disk.calls
        calls.sizeLimit = 1_000
        let outbox = try JobOutbox<String>(
            at: folder.url,
            "outbox",
            synced(ManualClock()),
            calls: calls
        ) { _, _ in }
        try outbox.add("a")
        try await outbox.flush()
        try outbox.add("b")
        disk.failsSyncs.withLock { $0 = true }
        // The unsynced items in memory would exceed the limit, so this call syncs first.
        XCTAssertThrowsError(try outbox.add(String(repeating: "c", count: 900)))
        let before = try inode(folder)
        disk.failsSyncs.withLock { $0 = false }
        try outbox.add("d")
        XCTAssertNotEqual(try inode(folder), before)
        await outbox.close()
        let next = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(try next.entries().map { try next.item($0.id) }, ["a", "b", "d"])
        await next.close()
    }

    private func inode(_ folder: TemporaryFolder) throws -> UInt64? {
        let path = folder.url.appendingPathComponent("outbox.outbox").path
        return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
    }

    func testEntryIsSyncedBeforeItIsPerformed() async throws {  // B1
        let (folder, disk) = (TemporaryFolder(self), Disk())
        let syncsBefore = Guarded(0)
        let outbox = try open(folder, disk, synced(ContinuousClock())) { _, _ in
            XCTAssertGreaterThan(disk.syncs.value, syncsBefore.withLock { $0 })
        }
        let id = try outbox.add("a")
        syncsBefore.withLock { $0 = disk.syncs.value }
        outbox.resume(for: "test")
        try await outbox.waitForFinish(of: id)
        await outbox.close()
    }

    func testFailedSyncBeforeAnAttemptDelaysIt() async throws {  // B1, B9
        let (folder, disk, clock) = (TemporaryFolder(self), Disk(), ManualClock())
        let performed = EventLog()
        let outbox = try open(folder, disk, synced(clock)) { item, attempt in
            performed.record("\(item) \(attempt.failureCount) \(attempt.interruptions)")
        }
        let id = try outbox.add("a", key: "k")
        try await outbox.flush()
        disk.failsSyncs.withLock { $0 = true }
        outbox.resume(for: "test")
        await clock.waitForDeadline(clock.now.advanced(by: .seconds(1)))
        XCTAssertEqual(performed.events, [])
        disk.failsSyncs.withLock { $0 = false }
        clock.advance(by: .seconds(1))
        try await outbox.waitForFinish(of: id)
        XCTAssertEqual(performed.events, ["a 0 0"])
        await outbox.close()
    }

    func testFullDiskPreventsACompactionAndNothingElse() async throws {
        let (folder, disk) = (TemporaryFolder(self), Disk())
        let outbox = try open(folder, disk, .with { $0.suspendedFor = ["test"] })
        for number in 0..<60 {
            try outbox.add(String(repeating: "x", count: 30_000), key: "\(number)")
        }
        for number in 0..<50 { try outbox.removeAll(key: "\(number)") }
        await outbox.waitUntilIdle()
        XCTAssertEqual(outbox.counts.waiting, 10)
        XCTAssertLessThan(try folder.bytes.count, 1 << 20)
        let items = try outbox.entries().map { try outbox.item($0.id)?.count }
        XCTAssertEqual(items, Array(repeating: 30_000, count: 10))
        await outbox.close()
        let next = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(next.entries().map(\.key), (50..<60).map { "\($0)" })
        await next.close()
    }
}
