import Foundation
import JobKit
import XCTest

@testable import JobJournal

/// S1 and S9, with system calls that the test replaces.
final class DiskFailureTests: XCTestCase {
    private func journal(
        _ folder: TemporaryFolder,
        _ safety: JobJournal.Safety,
        _ calls: FileCalls
    ) throws -> JobJournal {
        try JobJournal(at: folder.url, job: "job", safety: safety, calls: calls, watch: nil)
    }

    private func outcome(of step: DurableOperation<Int>) async -> (any Error)? {
        step.start()
        await step.waitForFinish()
        return step.error
    }

    func testAFailedWriteFailsThatStepAndAllLaterOnesBeforeTheyRun() async throws {
        for number in 1...12 {
            let folder = TemporaryFolder(self)
            let writes = Tally()
            var calls = FileCalls.system
            calls.write = { file, bytes, offset in
                guard writes.count() == number else {
                    return FileCalls.system.write(file, bytes, offset)
                }
                // Half of the record is in the file, so the next session finds it torn.
                let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
                _ = FileCalls.system.write(file, half, offset)
                return -Int(EIO)
            }
            var journal = try self.journal(folder, .processCrash, calls)
            var (succeeded, hasFailed) = (0, false)
            for step in 0..<8 {
                let failsBefore = hasFailed
                let error = await outcome(
                    of: journal.step("\(step)") { _ in
                        XCTAssertFalse(failsBefore, "a step ran after a failed write")
                        return step
                    }
                )
                if hasFailed || error != nil {
                    let failed = try XCTUnwrap(error as? JobJournal.WriteError)
                    XCTAssertEqual((failed.underlying as? POSIXError)?.code, .EIO)
                    hasFailed = true
                } else {
                    succeeded += 1
                }
            }
            XCTAssertTrue(hasFailed)
            await journal.close()
            journal = try folder.journal()
            XCTAssertEqual(journal.recordedCount, succeeded)
            for step in 0..<8 {
                let error = await outcome(of: journal.step("\(step)") { _ in step })
                XCTAssertNil(error)
            }
        }
    }

    func testAFailedSyncFailsTheStepAndAllLaterOnes() async throws {
        for number in 1...5 {
            let folder = TemporaryFolder(self)
            let syncs = Tally()
            var calls = FileCalls.system
            calls.sync = { file in
                // The kernel reports the error only once, so later syncs would succeed.
                syncs.count() == number ? -Int(EIO) : FileCalls.system.sync(file)
            }
            let journal = try self.journal(folder, .powerLoss, calls)
            var (succeeded, hasFailed) = (0, false)
            for step in 0..<8 {
                let error = await outcome(of: journal.step("\(step)") { _ in step })
                if error == nil {
                    XCTAssertFalse(hasFailed, "something was trusted after a failed sync")
                    succeeded += 1
                } else {
                    XCTAssertTrue(error is JobJournal.WriteError)
                    hasFailed = true
                }
            }
            XCTAssertTrue(hasFailed)
            XCTAssertEqual(journal.recordedCount, succeeded)
            await journal.close()
            let next = try folder.journal("job", .powerLoss)
            XCTAssertGreaterThanOrEqual(next.recordedCount, succeeded)
        }
    }

    func testWritesThatAreShortOrInterruptedAreContinued() async throws {
        let folder = TemporaryFolder(self)
        let turns = Tally()
        var calls = FileCalls.system
        calls.write = { file, bytes, offset in
            guard turns.count() % 3 != 0 else { return -Int(EINTR) }
            return FileCalls.system.write(
                file,
                UnsafeRawBufferPointer(rebasing: bytes[..<1]),
                offset
            )
        }
        var journal = try self.journal(folder, .processCrash, calls)
        for step in 0..<5 {
            let error = await outcome(of: journal.step("\(step)") { _ in step })
            XCTAssertNil(error)
        }
        await journal.close()
        journal = try folder.journal()
        XCTAssertEqual(journal.recordedCount, 5)
    }

    func testASyncHappensBeforeTheFinishAndIsShared() async throws {  // S1
        let folder = TemporaryFolder(self)
        let (syncs, ends) = (Tally(), Ends())
        var calls = FileCalls.system
        calls.write = { file, bytes, offset in
            let end = offset + bytes.count
            ends.wrote(end)
            return FileCalls.system.write(file, bytes, offset)
        }
        calls.sync = { file in
            syncs.count()
            let end = ends.written
            let result = FileCalls.system.sync(file)
            ends.synced(end)
            return result
        }
        let journal = try self.journal(folder, .powerLoss, calls)
        let count = 512
        let queue = TaskQueue(name: "steps")
        let steps = (0..<count).map { number in journal.step("\(number)") { _ in number } }
        for step in steps {
            let digest = journal.name(of: step.key).digest
            step.completionBlock = {
                let location = journal.shell.guarded.withLock { $0.index.locations[digest] }
                let end = ends.onDisk
                XCTAssertLessThanOrEqual(
                    (location?.offset ?? .max - 99) + (location?.size ?? 0),
                    end
                )
            }
        }
        queue.addOperations(steps)
        await queue.waitForAllOperations()
        XCTAssertEqual(journal.recordedCount, count)
        XCTAssertLessThan(syncs.value, count / 2)
        print("\(count) outcomes shared \(syncs.value) syncs")
    }

    func testAnOutcomeThatIsTooLargeFailsThatStepAlone() async throws {  // S9
        let folder = TemporaryFolder(self)
        var calls = FileCalls.system
        calls.sizeLimit = 1_000
        let journal = try journal(folder, .processCrash, calls)
        let large = journal.step("large") { _ in String(repeating: "x", count: 1_000) }
        large.start()
        await large.waitForFinish()
        let failed = try XCTUnwrap(large.error as? JobJournal.WriteError)
        XCTAssertTrue("\(failed.underlying)".contains("large"))
        let error = await outcome(of: journal.step("small") { _ in 1 })
        XCTAssertNil(error)
    }
}

/// How far a file was written and synced.
private final class Ends: Sendable {
    private let ends = Guarded((written: 0, onDisk: 0))

    func wrote(_ end: Int) { ends.withLock { $0.written = max($0.written, end) } }

    func synced(_ end: Int) { ends.withLock { $0.onDisk = end } }

    var written: Int { ends.withLock { $0.written } }

    var onDisk: Int { ends.withLock { $0.onDisk } }
}
