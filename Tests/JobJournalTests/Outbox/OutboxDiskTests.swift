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
        let failsFolderSyncs = Guarded(false)
        let failsReads = Guarded(false)
        /// Whether the first write of a new file fails.
        let failsNewFiles = Guarded(false)
        /// Called once, before the first write of a new file.
        let newFile = Guarded<(@Sendable () -> Void)?>(nil)
        let failsAt = Guarded(0)
        let unlinked = EventLog()
        let writes = Tally()
        let syncs = Tally()

        var calls: FileCalls {
            var calls = FileCalls.system
            calls.write = { [self] file, bytes, offset in
                let number = writes.count()
                if offset == 0 { newFile.withLock { $0.take() }?() }
                let isNewFile = offset == 0 && failsNewFiles.withLock { $0 }
                guard isNewFile || isFull.withLock({ $0 }) || number == failsAt.withLock({ $0 })
                else {
                    return FileCalls.system.write(file, bytes, offset)
                }
                let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
                _ = FileCalls.system.write(file, half, offset)
                return -Int(ENOSPC)
            }
            calls.sync = { [self] file in
                syncs.count()
                var status = stat()
                fstat(file, &status)
                let isFolder = status.st_mode & S_IFMT == S_IFDIR
                let fails = isFolder ? failsFolderSyncs.withLock { $0 } : failsSyncs.withLock { $0 }
                return fails ? -Int(EIO) : FileCalls.system.sync(file)
            }
            calls.read = { [self] file, bytes, offset in
                failsReads.withLock { $0 } ? -Int(EIO) : FileCalls.system.read(file, bytes, offset)
            }
            calls.unlink = { [self] folder, name in
                unlinked.record(name)
                return FileCalls.system.unlink(folder, name)
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

    func testFailedReadDelaysTheEntryAndParksNothing() async throws {  // B7, B9
        let (folder, disk, clock) = (TemporaryFolder(self), Disk(), ManualClock())
        let (dates, performed) = (Dates(), EventLog())
        let configuration = OutboxConfiguration<String>
            .with {
                $0.suspendedFor = ["test"]
                $0.clock = clock
                $0.now = { dates.now }
            }
        let outbox = try open(folder, disk, configuration) { item, attempt in
            performed.record("\(item) \(attempt.failureCount) \(attempt.mayHaveBegun)")
        }
        let id = try outbox.add("a", key: "k")
        try outbox.add("b", key: "k")
        disk.failsReads.withLock { $0 = true }
        outbox.resume(for: "test")
        for pause in [1.0, 2, 4] {
            await clock.waitForDeadline(clock.now.advanced(by: .seconds(pause)))
            XCTAssertEqual(outbox.counts.parked, 0)
            XCTAssertEqual(outbox.counts.delayed, 1)
            XCTAssertTrue(outbox.explain().contains("read without success"), outbox.explain())
            XCTAssertEqual(outbox.entries().map(\.key), ["k", "k"])
            if pause == 4 { disk.failsReads.withLock { $0 = false } }
            dates.advance(by: pause)
            clock.advance(by: .seconds(pause))
        }
        try await outbox.waitForFinish(of: id)
        await outbox.waitUntilIdle()
        XCTAssertEqual(performed.events, ["a 0 false", "b 0 false"])
        await outbox.close()
    }

    /// Fills an outbox, and removes most of it, so that it is compacted.
    private func shrink(_ outbox: JobOutbox<String>) async throws {
        for number in 0..<60 {
            try outbox.add(String(repeating: "x", count: 30_000), key: "\(number)")
        }
        for number in 0..<50 { try outbox.removeAll(key: "\(number)") }
        await outbox.waitUntilIdle()
        XCTAssertEqual(outbox.counts.waiting, 10)
        let items = try outbox.entries().map { try outbox.item($0.id)?.count }
        XCTAssertEqual(items, Array(repeating: 30_000, count: 10))
    }

    private func checkShrunk(_ folder: TemporaryFolder, _ others: [String] = []) async throws {
        let next = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(next.entries().map(\.key), (50..<60).map { "\($0)" } + others)
        await next.close()
    }

    func testMostlyObsoleteFileIsCompacted() async throws {  // B11
        let folder = TemporaryFolder(self)
        let outbox = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
        try await shrink(outbox)
        XCTAssertLessThan(try folder.bytes.count, 1 << 20)
        await outbox.close()
        try await checkShrunk(folder)
    }

    func testChangesDuringACompactionAreKept() async throws {  // B1, B11
        let (folder, disk) = (TemporaryFolder(self), Disk())
        let outbox = try open(folder, disk, .with { $0.suspendedFor = ["test"] })
        let isChanged = Gate()
        disk.newFile.withLock { change in
            change = {
                do {
                    try outbox.add("stays", key: "more")
                    try outbox.remove(outbox.add("leaves", key: "more"))
                } catch { XCTFail("\(error)") }
                isChanged.open()
            }
        }
        for number in 0..<60 {
            try outbox.add(String(repeating: "x", count: 30_000), key: "\(number)")
        }
        for number in 0..<50 { try outbox.removeAll(key: "\(number)") }
        await isChanged.waitUntilOpen()
        await outbox.waitUntilIdle()
        XCTAssertLessThan(try folder.bytes.count, 1 << 20)
        await outbox.close()
        try await checkShrunk(folder, ["more"])
        let next = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(try next.add("next").description, "63")
        await next.close()
    }

    func testFullDiskPreventsACompactionAndNothingElse() async throws {  // B9
        let (folder, disk) = (TemporaryFolder(self), Disk())
        let outbox = try open(folder, disk, .with { $0.suspendedFor = ["test"] })
        disk.failsNewFiles.withLock { $0 = true }
        let unlinkedBefore = disk.unlinked.events.count
        try await shrink(outbox)
        XCTAssertGreaterThan(try folder.bytes.count, 1 << 20)
        XCTAssertFalse(outbox.explain().contains("disk"), outbox.explain())
        try outbox.add("more", key: "more")
        // One call before each new file, and one after its failure.
        let unlinked = disk.unlinked.events.dropFirst(unlinkedBefore)
        XCTAssertEqual(Set(unlinked), ["outbox.outbox.new"])
        XCTAssertTrue(unlinked.count.isMultiple(of: 2), "\(unlinked.count) calls")
        XCTAssertEqual(try folder.names, ["outbox.outbox"])
        await outbox.close()
        try await checkShrunk(folder, ["more"])
    }

    func testEntriesAfterACompactionWithAFailedFolderSyncAreKept() async throws {  // B1, B9
        let (folder, disk) = (TemporaryFolder(self), Disk())
        let outbox = try open(folder, disk, synced(ManualClock()))
        for number in 0..<10 { try outbox.add(String(repeating: "\(number)", count: 1_000)) }
        try await outbox.flush()
        disk.failsFolderSyncs.withLock { $0 = true }
        try outbox.removeAll()
        await outbox.waitUntilIdle()
        disk.failsFolderSyncs.withLock { $0 = false }
        try outbox.add("more")
        try await outbox.flush()
        // The session ends like a crash: the file is as it is now.
        let bytes = try folder.bytes
        await outbox.close()
        try Data(bytes).write(to: folder.url.appendingPathComponent("outbox.outbox"))
        let next = try open(folder, Disk(), .with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(try next.entries().map { try next.item($0.id) }, ["more"])
        await next.close()
    }
}
