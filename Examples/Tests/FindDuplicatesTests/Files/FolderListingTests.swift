import Foundation
import Testing

@testable import FindDuplicates

@Suite struct FolderListingTests {
    private func list(_ folder: BytePath, minimumSize: Int64 = 1) throws -> FolderListing {
        try FolderListing(of: folder, minimumSize: minimumSize, followsLink: false) { false }
    }

    @Test func filesAndFoldersAreToldApartAndLinksAreLeftOut() throws {
        let folder = try TemporaryFolder()
        folder.makeFile("file", "abc")
        folder.makeFolder("sub")
        folder.entry("link").withName { requireSuccess(symlink("file", $0), "symlink") }
        folder.entry("pipe").withName { requireSuccess(mkfifo($0, 0o644), "mkfifo") }
        let listing = try list(folder.bytes)
        #expect(listing.files.map(\.path) == [folder.entry("file")])
        #expect(listing.files.map(\.size) == [3])
        #expect(listing.folders == [folder.entry("sub")])
        #expect(listing.regularFileCount == 1)
        #expect(listing.problems.isEmpty)
    }

    @Test func smallAndEmptyFilesAreCountedOnly() throws {
        let folder = try TemporaryFolder()
        folder.makeFile("empty", "")
        folder.makeFile("small", "ab")
        folder.makeFile("large", "abc")
        #expect(try list(folder.bytes, minimumSize: 3).files.map(\.path) == [folder.entry("large")])
        #expect(try list(folder.bytes, minimumSize: 0).files.count == 2)
        #expect(try list(folder.bytes, minimumSize: 3).regularFileCount == 3)
    }

    @Test func hardLinksShareAnIdentity() throws {
        let folder = try TemporaryFolder()
        let file = folder.makeFile("a", "abc")
        file.withName { file in
            folder.entry("b").withName { requireSuccess(link(file, $0), "link") }
        }
        let files = try list(folder.bytes).files
        #expect(files.count == 2)
        #expect(Set(files.map(\.identity)).count == 1)
    }

    @Test func linkInPlaceOfAFolderIsNotFollowedUnlessNamed() throws {
        let folder = try TemporaryFolder()
        folder.makeFolder("sub")
        let link = folder.entry("link")
        link.withName { requireSuccess(symlink("sub", $0), "symlink") }
        let error = #expect(throws: SystemError.self) { try list(link) }
        #expect(error?.meansVanished == true)
        let listing = try FolderListing(of: link, minimumSize: 1, followsLink: true) { false }
        #expect(listing.files.isEmpty)
    }

    @Test func missingFolderHasVanished() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: SystemError.self) { try list(folder.entry("none")) }
        #expect(error == SystemError(code: ENOENT))
        #expect(error?.meansVanished == true)
    }

    @Test func stoppedListingEndsEarly() throws {
        let folder = try TemporaryFolder()
        for number in 0..<10 { folder.makeFile("\(number)", "abc") }
        var asked = 0
        let listing = try FolderListing(of: folder.bytes, minimumSize: 1, followsLink: false) {
            asked += 1
            return asked > 3
        }
        #expect(listing.files.count <= 3)
    }

    @Test func pathLongerThanTheSystemTakesIsRead() throws {
        let folder = try TemporaryFolder()
        // Created from inside, folder by folder, because no program accepts such a path.
        let name = String(repeating: "n", count: 200)
        let script = """
            cd "$1"; for i in $(seq 100); do mkdir "$2" && cd "$2"; done; printf abc > file
            """
        let make = Process()
        make.executableURL = URL(fileURLWithPath: "/bin/bash")
        make.arguments = ["-c", script, "bash", folder.path, name]
        try make.run()
        make.waitUntilExit()
        #expect(make.terminationStatus == 0)
        var path = folder.bytes
        for _ in 1...100 { path = try #require(try list(path).folders.first) }
        #expect(path.bytes.count > 4 * Int(PATH_MAX))
        let file = try #require(try list(path).files.first)
        #expect(file.size == 3)
        #expect((try? OpenedFile(file)) != nil)
    }

    @Test func fileIsAFolderOfItself() throws {
        let folder = try TemporaryFolder()
        let file = folder.makeFile("file", "abc")
        let link = folder.entry("link")
        link.withName { requireSuccess(symlink("file", $0), "symlink") }
        for path in [file, link] {
            let listing = try FolderListing(ofFile: path, minimumSize: 1)
            #expect(listing.files.map(\.path) == [path])
            #expect((try? OpenedFile(listing.files[0])) != nil)
        }
        #expect(try FolderListing(ofFile: file, minimumSize: 4).files.isEmpty)
        #expect(throws: SystemError(code: ENOTDIR)) {
            try FolderListing(ofFile: BytePath("/dev/null"), minimumSize: 1)
        }
    }
}
