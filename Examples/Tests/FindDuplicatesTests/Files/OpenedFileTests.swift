import Foundation
import Testing

@testable import FindDuplicates

/// Tests that only the listed file is read.
@Suite(.timeLimit(.minutes(30))) struct OpenedFileTests {
    private func scanned(_ path: BytePath, size: Int64? = nil) -> ScannedFile {
        var status = stat()
        path.withCString { requireSuccess(stat($0, &status), "stat") }
        return ScannedFile(
            path: path,
            size: size ?? Int64(status.st_size),
            stamp: FileStamp(status)
        )
    }

    private func read(_ file: ScannedFile) throws(ReadFailure) -> [UInt8] {
        let length = Int(file.size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length + 1, alignment: 1)
        defer { buffer.deallocate() }
        try OpenedFile(file).readNext(length, endsFile: true, into: buffer)
        return Array(buffer[..<length])
    }

    @Test func listedFileIsRead() throws {
        let folder = try TemporaryFolder()
        let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try read(scanned(folder.makeFile(Array("file".utf8), content))) == content)
    }

    @Test(arguments: [(10, 9), (10, 11), (2000, 1999), (2000, 2001), (10, 0)])
    func fileOfAnotherSizeHasChanged(listed: Int64, now: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.makeFile(Array("file".utf8), [UInt8](repeating: 0x61, count: now))
        let file = scanned(path, size: listed)
        #expect(throws: ReadFailure.changed(file)) { try read(file) }
    }

    @Test func fileThatGrowsWhileItIsReadHasChanged() throws {
        let folder = try TemporaryFolder()
        let file = scanned(folder.makeFile("file", "abc"))
        let opened = try OpenedFile(file)
        folder.makeFile("file", "abcd")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { buffer.deallocate() }
        #expect(throws: ReadFailure.changed(file)) {
            try opened.readNext(3, endsFile: true, into: buffer)
        }
    }

    @Test func anotherFileOfTheSameSizeIsNotRead() throws {
        let folder = try TemporaryFolder()
        let file = scanned(folder.makeFile("file", "abc"))
        let other = folder.makeFile("other", "xyz")
        let renamed = other.withName { other in file.path.withName { rename(other, $0) } }
        requireSuccess(renamed, "rename")
        #expect(throws: ReadFailure.replaced(file)) { try read(file) }
    }

    @Test func fileThatIsGoneHasVanished() throws {
        let folder = try TemporaryFolder()
        let file = scanned(folder.makeFile("file", "abc"))
        file.path.withCString { requireSuccess(unlink($0), "unlink") }
        #expect(throws: ReadFailure.vanished) { try read(file) }
    }

    @Test func linkInPlaceOfTheFileHasVanished() throws {
        let folder = try TemporaryFolder()
        let file = scanned(folder.makeFile("file", "abc"))
        folder.makeFile("other", "abc")
        file.path.withCString { name in
            requireSuccess(unlink(name), "unlink")
            requireSuccess(symlink("other", name), "symlink")
        }
        #expect(throws: ReadFailure.vanished) { try read(file) }
    }

    @Test func folderThatBecameALinkLeadsToNoOtherFile() throws {
        let folder = try TemporaryFolder()
        folder.makeFolder("x")
        folder.makeFolder("y")
        let file = scanned(folder.makeFile("x/1", "abc"))
        folder.makeFile("y/1", "def")
        folder.entry("x")
            .withCString { from in
                folder.entry("z").withCString { requireSuccess(rename(from, $0), "rename") }
                requireSuccess(symlink("y", from), "symlink")
            }
        #expect(throws: ReadFailure.replaced(file)) { try read(file) }
    }

    @Test func pipeInPlaceOfTheFileKeepsItsData() throws {
        let folder = try TemporaryFolder()
        let file = scanned(folder.makeFile("file", "abc"))
        let (reader, writer) = file.path.withCString { name in
            requireSuccess(unlink(name), "unlink")
            requireSuccess(mkfifo(name, 0o644), "mkfifo")
            let reader = open(name, O_RDONLY | O_NONBLOCK)
            return (reader, open(name, O_WRONLY | O_NONBLOCK))
        }
        defer {
            close(reader)
            close(writer)
        }
        requireSuccess(Int32(write(writer, "abcd", 4)), "write")
        #expect(throws: ReadFailure.changed(file)) { try read(file) }
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(Foundation.read(reader, &buffer, 8) == 4)
    }

    @Test func folderInPlaceOfTheFileHasChanged() throws {
        let folder = try TemporaryFolder()
        let file = scanned(folder.bytes, size: 3)
        #expect(throws: ReadFailure.changed(file)) { try read(file) }
    }

    @Test func fileOfTheKernelThatIsShorterThanItsSizeHasNotChanged() throws {
        let listing = try? FolderListing(of: BytePath("/sys/kernel"))
        guard let file = listing?.files.first(where: { $0.size == 4096 }) else { return }
        #expect(throws: ReadFailure.tooShort(file)) { try read(file) }
    }
}
