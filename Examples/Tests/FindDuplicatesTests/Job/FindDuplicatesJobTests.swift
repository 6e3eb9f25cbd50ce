import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

@testable import FindDuplicates

/// Tests the job on real folders.
///
/// Types that make decisions are tested in `FolderTreeTests` and `FileComparerTests`.
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

    /// The tasks may end in any order (J2), and the result is the same.
    func testAnyOrderOfTasksGivesTheSameReport() throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        for seed in 0..<30 as Range<UInt64> {
            let queue = StepQueue()
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
        // Reading these two files would take minutes.
        folder.makeSparseFile("large 1", size: 1 << 40)
        folder.makeSparseFile("large 2", size: 1 << 40)
        let job = FindDuplicatesJob(folders: [folder.bytes], width: 2)
        job.addObserver(
            WhenDelivered(CompareBatch.self) { task in
                // The small files have been compared, and the large ones are being read.
                if !task.name.contains("large") { job.cancel() }
            }
        )
        do {
            try await job.run()
            XCTFail("The job was not cancelled")
        } catch is CancellationError {}
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
        // The root has been listed when the first files are reported. Then everything below it is
        // removed.
        let queue = StepQueue()
        let job = FindDuplicatesJob(folders: [folder.bytes], width: 1, queue: queue) { stage in
            guard stage == .listing(files: 2) else { return }
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

    /// No reference to the job remains when it has finished (J10).
    func testFinishedJobIsReleased() async throws {
        let folder = try TemporaryFolder()
        _ = OddTree.build(in: folder)
        weak var released: FindDuplicatesJob?
        func search() throws {
            let queue = StepQueue()
            let job = FindDuplicatesJob(folders: [folder.bytes], width: 1, queue: queue)
            released = job
            job.startJob(on: queue)
            queue.runAll(seed: 2)
            XCTAssert(job.report.isComplete)
        }
        try search()
        XCTAssertNil(released)
    }

    /// The output is the same for each order of the ways to a folder.
    func testAnyOrderOfListingsGivesTheSameNames() async throws {
        let folder = try TemporaryFolder()
        let expected = OddTree.build(in: folder)
        folder.makeFile("levels/1/2/3/copy", "deep down")
        let roots = ["levels/1/2", "levels", ".", "names", "./levels"].map { folder.entry($0) }
        var seen: Set<[DuplicateGroup]> = []
        for seed in 0..<30 as Range<UInt64> {
            let queue = StepQueue()
            let job = FindDuplicatesJob(folders: roots, width: 3, queue: queue)
            job.startJob(on: queue)
            queue.runAll(seed: seed)
            seen.insert(job.report.groups)
        }
        XCTAssertEqual(seen.count, 1)
        XCTAssertEqual(seen.first?.count, expected.count)
        let names = try XCTUnwrap(seen.first).flatMap(\.paths)
        XCTAssert(names.contains(folder.entry("levels/1/2/3/copy")))
        XCTAssert(names.contains(folder.entry("levels/top")))
        XCTAssert(names.contains(folder.entry("./links/c")))
    }

    /// If a file is named twice, it is listed once, by the first of its names.
    func testFilesThatAreNamedAreCompared() async throws {
        let folder = try TemporaryFolder()
        let (a, b) = (folder.makeFile("a", "same"), folder.makeFile("b", "same"))
        folder.entry("link").withName { requireSuccess(symlink("a", $0), "symlink") }
        for seed in 0..<30 as Range<UInt64> {
            let queue = StepQueue()
            let job = FindDuplicatesJob(
                folders: [b, a, folder.entry("link"), folder.bytes],
                width: 3,
                queue: queue
            )
            job.startJob(on: queue)
            queue.runAll(seed: seed)
            XCTAssertEqual(job.report.groups.map(\.paths), [[a, b]], "seed \(seed)")
        }
        let alone = FindDuplicatesJob(folders: [a, folder.entry("link")])
        try await alone.run()
        XCTAssertEqual(alone.report.groups, [])
    }

    /// If more files of a size exist than may be open, hashes divide them, and their bytes decide.
    func testCrowdsOfOneSizeComeOutRight() async throws {
        let folder = try TemporaryFolder()
        var expected: [[UInt8]: Int] = [:]
        for number in 0..<400 {
            // All heads are equal, or all heads differ, or the last bytes differ.
            var content = [UInt8](repeating: 1, count: number < 200 ? 5000 : 4096)
            content[number % 3 == 0 ? 0 : content.count - 1] = UInt8(number % 7)
            folder.makeFile(Array("\(number)".utf8), content)
            expected[content, default: 0] += 1
        }
        let job = FindDuplicatesJob(folders: [folder.bytes], width: 2)
        try await job.run()
        XCTAssertEqual(
            job.report.groups.map(\.paths.count).sorted(),
            expected.values.filter { $0 > 1 }.sorted()
        )
        for group in job.report.groups {
            let contents = try group.paths.map {
                try Data(
                    contentsOf: URL(fileURLWithPath: String(decoding: $0.bytes, as: UTF8.self))
                )
            }
            XCTAssertEqual(Set(contents).count, 1)
        }
    }

    /// If the files of a crowd differ early, they are not hashed completely, even with equal heads.
    func testCrowdIsHashedAboutAsFarAsItAgrees() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<100 {
            var content = [UInt8](repeating: 1, count: 1 << 20)
            content[8192] = UInt8(number)
            folder.makeFile(Array("\(number)".utf8), content)
        }
        let job = FindDuplicatesJob(folders: [folder.bytes], width: 2)
        try await job.run()
        XCTAssertEqual(job.report.groups, [])
        XCTAssertEqual(job.report.hashedBytes, 100 * 8 * FileComparer.headLength)
    }

    /// The heads of a crowd are hashed early, and nearly all of the work remains.
    func testHeadsOfACrowdAreLittleOfItsProgress() throws {
        let folder = try TemporaryFolder()
        for number in 0..<100 { folder.makeSparseFile("\(number)", size: 1 << 20) }
        let queue = StepQueue()
        let job = FindDuplicatesJob(folders: [folder.bytes], width: 1, queue: queue)
        let progress = job.progress
        var afterHeads: [Double] = []
        job.startJob(on: queue)
        while let task = queue.held.first {
            let isHead = (task as? HashFiles)?.range.lowerBound == 0
            queue.runNext()
            if isHead { afterHeads.append(progress.fractionCompleted) }
        }
        XCTAssertGreaterThan(try XCTUnwrap(afterHeads.last), 0)
        XCTAssertLessThan(try XCTUnwrap(afterHeads.last), 0.05)
        XCTAssertEqual(progress.fractionCompleted, 1)
        XCTAssertEqual(job.report.groups.map(\.paths.count), [100])
    }
}

/// Calls a closure for each delivered task of a type.
private final class WhenDelivered: JobObserver {
    private let type: Operation.Type
    private let body: @Sendable (JobEvent) -> Void

    init(_ type: Operation.Type, _ body: @escaping @Sendable (JobEvent) -> Void) {
        self.type = type
        self.body = body
    }

    func job(_ job: JobController, didRecord event: JobEvent) {
        if event.kind == .delivered, event.type == type { body(event) }
    }
}
