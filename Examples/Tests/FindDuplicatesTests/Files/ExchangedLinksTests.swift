import Foundation
import Testing

@testable import FindDuplicates

/// Tests folders that are replaced by links between two accesses.
@Suite struct ExchangedLinksTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for path in ["searched/a/b", "outside/b"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(path)",
                withIntermediateDirectories: true
            )
        }
        for path in ["searched/a/b/file", "outside/b/file"] {
            try Data("same".utf8).write(to: URL(filePath: "\(folder.path)/\(path)"))
        }
    }

    private var root: BytePath { BytePath(folder.path + "/searched") }
    private var deep: BytePath { BytePath(folder.path + "/searched/a/b") }

    private func exchange() {
        let searched = folder.path + "/searched"
        #expect(rename(searched + "/a", searched + "/away") == 0)
        #expect(symlink(folder.path + "/outside", searched + "/a") == 0)
    }

    private func root(_ resolution: SearchRoot.Resolution, staysOpen: Bool = true) -> SearchRoot {
        SearchRoot(root, followsLinks: true, staysOpen: staysOpen, resolution: resolution)
    }

    @Test(arguments: [SearchRoot.Resolution.oneCall, .walk], [true, false])
    func aFolderBelowALinkIsNotListed(
        _ resolution: SearchRoot.Resolution,
        staysOpen: Bool
    ) throws {
        let before = try FolderListing(of: deep, below: root(resolution, staysOpen: staysOpen))
        #expect(before.files.count == 1)
        exchange()
        // Without a root, the system follows the link, which is in the middle of the path.
        #expect(try FolderListing(of: deep).files.count == 1)
        #expect(throws: SystemError.self) {
            _ = try FolderListing(of: deep, below: root(resolution, staysOpen: staysOpen))
        }
    }

    @Test(arguments: [SearchRoot.Resolution.oneCall, .walk], [true, false])
    func aFileBelowALinkIsNotRead(_ resolution: SearchRoot.Resolution, staysOpen: Bool) throws {
        var listed = try FolderListing(of: deep).files
        listed[0].root = root(resolution, staysOpen: staysOpen)
        let file = listed[0]
        _ = try OpenedFile(file)
        exchange()
        // Since the new root has no open folder, the file is opened by its path.
        listed[0].root = root(resolution, staysOpen: staysOpen)
        #expect(throws: ReadFailure.self) { _ = try OpenedFile(listed[0]) }
    }

    /// The folder of a file that was read by walking stays open.
    ///
    /// If a folder above it is replaced, the file is still found.
    @Test func walkedFolderIsReadWhereItWas() throws {
        let walked = root(.walk)
        let file = BytePath(bytes: deep.bytes + "/file".utf8)
        let before = FileStamp(try status(OpenFile(file, below: walked, flags: 0)))
        exchange()
        #expect(FileStamp(try status(OpenFile(file, below: walked, flags: 0))) == before)
    }

    @Test(arguments: [SearchRoot.Resolution.oneCall, .walk])
    func pathsWithoutARootFollowNoLink(_ resolution: SearchRoot.Resolution) throws {
        // On some systems, the temporary folder itself is reached through a link.
        let real = try #require(root.withName { realpath($0, nil) })
        defer { free(real) }
        let path = BytePath(String(cString: real) + "/a/b")
        let none = SearchRoot(
            root,
            followsLinks: false,
            staysOpen: false,
            resolution: resolution
        )
        #expect(try FolderListing(of: path, below: none).files.count == 1)
        exchange()
        #expect(throws: SystemError.self) { _ = try FolderListing(of: path, below: none) }
        #expect(throws: SystemError.self) {
            _ = try OpenFile(BytePath("nothing here"), below: none, flags: 0)
        }
        #expect(try FolderListing(of: BytePath("/"), below: none).folders.isEmpty == false)
    }

    private func status(_ file: borrowing OpenFile) throws -> stat {
        var status = stat()
        try #require(fstat(file.descriptor, &status) == 0)
        return status
    }

    @Test func aNamedLinkIsFollowedUnlessTheSearchSaysNo() async throws {
        exchange()
        for (follows, count) in [(true, 1), (false, 0)] {
            let job = FindDuplicatesJob(
                folders: [BytePath(folder.path + "/searched/a")],
                followsLinks: follows
            )
            try await job.run()
            #expect(job.report.scannedFiles == count)
            #expect(job.report.problems.isEmpty == follows)
        }
    }

    /// Links and folders are exchanged constantly, and no name from outside is listed.
    @Test(.timeLimit(.minutes(2))) func aSearchDuringExchangesListsNothingFromOutside() async throws
    {
        let (searched, outside) = (folder.path + "/searched", folder.path + "/outside")
        for number in 0..<20 {
            for location in [searched + "/a/b/inside", outside + "/b/secret"] {
                try Data("same".utf8).write(to: URL(filePath: location + String(number)))
            }
        }
        #expect(symlink(outside, searched + "/link") == 0)
        let exchanges = Task.detached {
            while !Task.isCancelled {
                rename(searched + "/a", searched + "/away")
                rename(searched + "/link", searched + "/a")
                rename(searched + "/a", searched + "/link")
                rename(searched + "/away", searched + "/a")
                await Task.yield()
            }
        }
        var found = 0
        for _ in 0..<300 {
            let job = FindDuplicatesJob(
                folders: [BytePath(searched), BytePath(searched + "/a/b")],
                followsLinks: false,
                width: 2
            )
            try await job.run()
            let paths = job.report.groups.flatMap(\.paths)
                .map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(!paths.contains { $0.contains("secret") })
            found += paths.count
        }
        exchanges.cancel()
        await exchanges.value
        #expect(found > 0)
    }
}
