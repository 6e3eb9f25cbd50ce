import Foundation
import Testing

@testable import FindDuplicates

@Suite struct FileComparerTests {
    private func compare(
        _ files: [ScannedFile],
        filesAtATime: Int,
        areHashed: Bool = false
    ) -> Findings {
        let size = files[0].size
        let candidates = Candidates(size: size, files: files, hashedLength: areHashed ? size : 0)
        var comparer = FileComparer(
            filesAtATime: filesAtATime,
            largest: candidates.size,
            meter: WorkMeter(total: candidates.work)
        )
        comparer.compare(candidates)
        return comparer.findings
    }

    /// Creates files that are named by their numbers, and lists them.
    private func makeFiles(_ contents: [[UInt8]], in folder: TemporaryFolder) throws
        -> [ScannedFile]
    {
        for (number, content) in contents.enumerated() {
            folder.makeFile(Array("\(number)".utf8), content)
        }
        return try FolderListing(of: folder.bytes).files.sorted { $0.path < $1.path }
    }

    @Test(arguments: [1, 4095, 4096, 4097, 135_168, 135_169, 400_000])
    func lastByteDecides(size: Int) throws {
        let folder = try TemporaryFolder()
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let other = Array(content.dropLast()) + [content[size - 1] ^ 1]
        let files = try makeFiles([content, other, content, other, content], in: folder)
        let groups = compare(files, filesAtATime: 5).groups.sorted { $0.paths[0] < $1.paths[0] }
        #expect(
            groups == [
                DuplicateGroup(size: Int64(size), paths: [0, 2, 4].map { folder.entry("\($0)") }),
                DuplicateGroup(size: Int64(size), paths: [1, 3].map { folder.entry("\($0)") }),
            ]
        )
    }

    @Test func filesThatDifferInTheirHeadsAreReadNoFurther() throws {
        let folder = try TemporaryFolder()
        let contents = (0..<8)
            .map { number in
                [UInt8](repeating: 0, count: 2048) + [UInt8](repeating: number, count: 62 * 1024)
            }
        let found = compare(try makeFiles(contents, in: folder), filesAtATime: 8)
        #expect(found.groups == [])
        #expect(found.readBytes == 8 * FileComparer.headLength)
    }

    @Test func equalFilesAreEachReadOnce() throws {
        let folder = try TemporaryFolder()
        let contents = (0..<8).map { _ in [UInt8](repeating: 7, count: 200_000) }
        let found = compare(try makeFiles(contents, in: folder), filesAtATime: 8)
        #expect(found.groups.map(\.paths.count) == [8])
        #expect(found.readBytes == 8 * 200_000)
    }

    /// Hashes may collide, so the bytes decide.
    @Test(arguments: 2...7) func moreFilesThanMayBeOpenAreComparedWithTheFirst(
        filesAtATime: Int
    ) throws {
        let folder = try TemporaryFolder()
        let contents = "aabcbcabcabbd".utf8.map { [UInt8](repeating: $0, count: 5000) }
        let files = try makeFiles(contents, in: folder)
        let found = compare(files, filesAtATime: filesAtATime, areHashed: true)
        #expect(found.groups.map(\.paths.count).sorted() == [3, 4, 5])
        for group in found.groups {
            let equal = try group.paths.map {
                try Data(
                    contentsOf: URL(fileURLWithPath: String(decoding: $0.bytes, as: UTF8.self))
                )
            }
            #expect(Set(equal).count == 1)
        }
    }

    @Test func firstFileThatIsGoneHidesNoGroup() throws {
        let folder = try TemporaryFolder()
        let contents = (0..<6).map { _ in [UInt8](repeating: 7, count: 10) }
        let files = try makeFiles(contents, in: folder)
        files[0].path.withCString { requireSuccess(unlink($0), "unlink") }
        for filesAtATime in [2, 6] {
            let found = compare(files, filesAtATime: filesAtATime, areHashed: true)
            #expect(found.groups.map(\.paths.count) == [5])
            #expect(found.problems == [])
        }
    }

    /// A file's stamp may change after its listing, and then equal that of another file.
    @Test func namesOfOneFileAreComparedOnce() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] { folder.makeFile(name, "same") }
        folder.entry("a")
            .withName { file in
                folder.entry("c").withName { requireSuccess(link(file, $0), "link") }
            }
        let found = compare(try FolderListing(of: folder.bytes).files, filesAtATime: 3)
        #expect(found.groups.map(\.paths.count) == [2])
        #expect(found.problems == [])
    }

    @Test func stoppedComparisonFindsNothing() throws {
        let folder = try TemporaryFolder()
        let files = try makeFiles([[1], [1]], in: folder)
        var comparer = FileComparer(
            filesAtATime: 2,
            largest: 1,
            meter: WorkMeter(total: 1, isStopped: { true })
        )
        comparer.compare(Candidates(size: 1, files: files))
        #expect(comparer.findings.groups == [])
    }
}
