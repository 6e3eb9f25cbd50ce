import FindDuplicates
import Foundation
import JobKit
import Synchronization
import XCTest

/// The job on real folders.
///
/// Its decisions by themselves are tested in `DuplicateSearchTests`.
final class FindDuplicatesJobTests: XCTestCase {
    func testEveryOddityComesOutRight() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        for width in [1, 2, 7] {
            let job = FindDuplicatesJob(folders: [folder.bytes], width: width)
            try await job.run()
            XCTAssertEqual(job.report.groups, expected)
            XCTAssert(job.report.problems.isEmpty)
            XCTAssert(job.report.isComplete)
        }
    }

    /// The tasks may end in any order (J2): the answer is the same.
    func testAnyOrderOfTasksGivesTheSameReport() throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        for seed in 0..<30 as Range<UInt64> {
            let queue = ShuffledQueue()
            let job = FindDuplicatesJob(folders: [folder.bytes], width: 3, queue: queue)
            job.startJob(on: queue)
            queue.runAll(seed: seed)
            XCTAssert(job.isFinished)
            XCTAssertEqual(job.report.groups, expected, "seed \(seed)")
        }
    }

    func testSmallerFilesAreLeftOut() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder).filter { $0.size >= 1024 }
        let job = FindDuplicatesJob(folders: [folder.bytes], minimumSize: 1024)
        try await job.run()
        XCTAssertEqual(job.report.groups, expected)
    }

    func testFoldersWithinFoldersAreSearchedOnce() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        let names = ["names", "sizes", "levels/1/2"]
        let inner = names.map { folder.entry($0) }
        let job = FindDuplicatesJob(folders: [folder.bytes, folder.bytes] + inner)
        try await job.run()
        XCTAssertEqual(job.report.groups.map(\.paths.count), expected.map(\.paths.count))
    }

    func testNoFolderIsNoWork() async throws {
        let job = FindDuplicatesJob(folders: [])
        try await job.run()
        XCTAssert(job.report.isComplete)
        XCTAssert(job.report.groups.isEmpty)
    }

    func testFolderThatDoesNotExistIsNamedAndTheRestGoesOn() async throws {
        let folder = try TemporaryFolder()
        folder.makeFile("a", "same")
        folder.makeFile("b", "same")
        let job = FindDuplicatesJob(folders: [folder.entry("none"), folder.bytes])
        try await job.run()
        XCTAssertEqual(job.report.problems.map(\.path), [folder.entry("none")])
        XCTAssertEqual(job.report.groups.count, 1)
        XCTAssert(job.report.isComplete)
    }

    func testHundredThousandFilesInOneFolder() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<100_000 { folder.makeFile("\(number)", "\(number % 500)") }
        let job = FindDuplicatesJob(folders: [folder.bytes])
        try await job.run()
        XCTAssertEqual(job.report.scannedFiles, 100_000)
        XCTAssertEqual(job.report.groups.map(\.paths.count), Array(repeating: 200, count: 500))
        XCTAssert(job.report.problems.isEmpty)
    }

    func testCancelledRunReportsWhatItFoundAsIncomplete() async throws {
        let folder = try TemporaryFolder()
        folder.makeFile("a", "same")
        folder.makeFile("b", "same")
        // Reading these two would take minutes.
        folder.makeSparseFile("large 1", size: 1 << 40)
        folder.makeSparseFile("large 2", size: 1 << 40)
        let running = Mutex<FindDuplicatesJob?>(nil)
        let job = FindDuplicatesJob(folders: [folder.bytes], width: 2) { progress in
            // The heads of all four are known.
            if progress.hashedBytes > 2048 { running.withLock { $0 }?.cancel() }
        }
        running.withLock { $0 = job }
        do {
            try await job.run()
            XCTFail("The job was not cancelled")
        } catch is CancellationError {}
        running.withLock { $0 = nil }
        XCTAssertFalse(job.report.isComplete)
        XCTAssertEqual(
            job.report.groups.map(\.paths),
            [[folder.entry("a"), folder.entry("b")]]
        )
        XCTAssert(job.trackedTasks.isEmpty)
    }

    func testFoldersThatVanishMeanwhileAreLeftOut() async throws {
        let folder = try TemporaryFolder()
        _ = OddTree.build(in: folder)
        for name in ["a", "b"] { folder.makeFile(name, "stays") }
        let gone = ["names", "sizes", "links", "levels"].map { "\(folder.path)/\($0)" }
        // The root has been listed when the first progress is told; all below it goes then.
        let queue = ShuffledQueue()
        let job = FindDuplicatesJob(folders: [folder.bytes], width: 1, queue: queue) { _ in
            for path in gone { try? FileManager.default.removeItem(atPath: path) }
        }
        job.startJob(on: queue)
        queue.runAll(seed: 1)
        XCTAssert(job.report.isComplete)
        XCTAssert(job.report.problems.isEmpty)
        XCTAssertEqual(
            job.report.groups.map(\.paths),
            [[folder.entry("a"), folder.entry("b")]]
        )
    }

    /// Nothing keeps the job when it has finished (J10).
    func testFinishedJobIsReleased() async throws {
        let folder = try TemporaryFolder()
        _ = OddTree.build(in: folder)
        weak var released: FindDuplicatesJob?
        func search() throws {
            let queue = ShuffledQueue()
            let job = FindDuplicatesJob(folders: [folder.bytes], width: 1, queue: queue)
            released = job
            job.startJob(on: queue)
            queue.runAll(seed: 2)
            XCTAssert(job.report.isComplete)
        }
        try search()
        XCTAssertNil(released)
    }
}
