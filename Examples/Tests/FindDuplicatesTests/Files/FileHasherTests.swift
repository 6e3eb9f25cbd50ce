import Crypto
import Foundation
import Testing

@testable import FindDuplicates

@Suite struct FileHasherTests {
    private func scanned(_ path: BytePath, size: Int64) -> ScannedFile {
        let identity = FileIdentity(device: 1, number: 1)
        return ScannedFile(path: path, size: size, identity: identity, hasHardLinks: false)
    }

    private func hash(
        _ path: BytePath,
        size: Int64,
        _ extent: FileHasher.Extent
    ) -> FileHasher.Outcome {
        FileHasher(for: extent).hash(scanned(path, size: size), extent) { false }
    }

    @Test(arguments: [1, 1023, 1024, 1025, 131_071, 131_072, 131_073, 400_000])
    func digestIsTheSHA256OfTheBytes(size: Int) throws {
        let folder = try TemporaryFolder()
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let file = folder.makeFile(Array("file".utf8), content)
        for (extent, length) in [(FileHasher.Extent.head, min(size, 1024)), (.whole, size)] {
            guard case .digest(let digest, let count) = hash(file, size: Int64(size), extent) else {
                Issue.record("The file was not read")
                return
            }
            #expect(digest == SHA256.hash(data: content.prefix(length)))
            #expect(count == Int64(length))
        }
    }

    @Test(arguments: [(10, 9), (10, 11), (2000, 1999), (2000, 2001), (10, 0)])
    func fileOfAnotherSizeHasChanged(listed: Int64, now: Int) throws {
        let folder = try TemporaryFolder()
        let content = [UInt8](repeating: 0x61, count: now)
        let file = folder.makeFile(Array("file".utf8), content)
        guard case .problem(let problem) = hash(file, size: listed, .whole) else {
            Issue.record("The change was not noticed")
            return
        }
        #expect(problem.reason == "changed while it was read")
    }

    @Test func fileThatIsGoneHasVanished() throws {
        let folder = try TemporaryFolder()
        guard case .vanished = hash(folder.entry("none"), size: 1, .head) else {
            Issue.record("A file that is not there was read")
            return
        }
    }

    @Test func linkInPlaceOfTheFileHasVanished() throws {
        let folder = try TemporaryFolder()
        folder.makeFile("other", "abc")
        let link = folder.entry("file")
        link.withName { requireSuccess(symlink("other", $0), "symlink") }
        guard case .vanished = hash(link, size: 3, .head) else {
            Issue.record("A link was followed")
            return
        }
    }

    @Test(.timeLimit(.minutes(1))) func pipeInPlaceOfTheFileHoldsNobody() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.entry("file")
        pipe.withName { requireSuccess(mkfifo($0, 0o644), "mkfifo") }
        guard case .problem = hash(pipe, size: 3, .head) else {
            Issue.record("A pipe was read")
            return
        }
    }

    @Test func folderInPlaceOfTheFileIsAProblem() throws {
        let folder = try TemporaryFolder()
        guard case .problem(let problem) = hash(folder.bytes, size: 3, .head) else {
            Issue.record("A folder was read")
            return
        }
        #expect(problem.path == folder.bytes)
    }

    @Test func stoppedHashingGivesNothing() throws {
        let folder = try TemporaryFolder()
        let file = scanned(folder.makeFile("file", "abc"), size: 3)
        guard case .stopped = FileHasher(for: .whole).hash(file, .whole, isStopped: { true }) else {
            Issue.record("The hashing went on")
            return
        }
    }
}
