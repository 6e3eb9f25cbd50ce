import FindDuplicates
import Foundation
import JobKit
import Testing

@testable import RemoteDuplicates
@testable import RemoteJobs

/// Tests that no path, link or number in a task leads a worker out of its shared folder.
@Suite struct SharedFolderTests {
    private let root: String

    init() throws {
        root =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("remote-jobs-\(UUID().uuidString)").path
        for folder in ["shown/a/b", "outside/b"] {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(folder)",
                withIntermediateDirectories: true
            )
        }
        try Data("shown".utf8).write(to: URL(filePath: "\(root)/shown/a/b/file"))
        try Data("secret".utf8).write(to: URL(filePath: "\(root)/outside/b/file"))
        try Data("secret".utf8).write(to: URL(filePath: "\(root)/outside/b/secret"))
    }

    private var shared: SharedFolder { SharedFolder(BytePath(root + "/shown")) }

    @Test func filesAndFoldersInTheFolderAreShown() async throws {
        defer { remove() }
        let listed = try await list("\(root)/shown/a/b")
        #expect(listed.files.count == 1 && !listed.isGone)
        guard case .digest = try await hash(listed.files[0]) else {
            Issue.record("The file was not hashed")
            return
        }
        let top = try await list(nil)
        #expect(top.folders.map { text($0.path) } == ["\(root)/shown/a"])
    }

    @Test func aPathThatLeadsOutIsRefused() async throws {
        defer { remove() }
        for path in [
            "\(root)/shown/../outside/b", "\(root)/shown/..", "\(root)/shown/..\0/x",
            "\(root)/shown/a\0", "\(root)/outside/b", "\(root)/shown",
        ] {
            await #expect(throws: OutsideOfFolderError.self) { _ = try await list(path) }
            let file = try secret(at: path)
            await #expect(throws: OutsideOfFolderError.self) { _ = try await hash(file) }
        }
    }

    @Test func aLinkInTheFolderLeadsNowhere() async throws {
        defer { remove() }
        #expect(symlink("\(root)/outside", "\(root)/shown/link") == 0)
        let listed = try await list("\(root)/shown/link/b")
        #expect(listed.isGone && listed.files.isEmpty && listed.problems.isEmpty)
        #expect(try await list("\(root)/shown/link").isGone)
        // The worker computes no digest, although device, number and size are correct.
        #expect(try await hash(secret(at: "\(root)/shown/link/b/file")) == .vanished)
    }

    /// Links and folders are exchanged constantly while a worker's tasks run.
    @Test(.timeLimit(.minutes(2))) func nothingFromOutsideComesUpDuringExchanges() async throws {
        defer { remove() }
        let shown = root + "/shown"
        #expect(symlink(root + "/outside", shown + "/link") == 0)
        let own = try #require(try await list(shown + "/a/b").files.first)
        let secret = try secret(at: shown + "/a/b/file")
        let exchanges = Task.detached {
            var count = 0
            while !Task.isCancelled {
                rename(shown + "/a", shown + "/away")
                rename(shown + "/link", shown + "/a")
                rename(shown + "/a", shown + "/link")
                rename(shown + "/away", shown + "/a")
                count += 1
                await Task.yield()
            }
            return count
        }
        var (digests, listings) = (0, 0)
        for _ in 0..<5_000 {
            if case .digest = try await hash(secret) {
                Issue.record("The digest of a file outside was told")
            }
            if case .digest = try await hash(own) { digests += 1 }
            let listed = try await list(shown + "/a/b")
            #expect(!listed.files.contains { text($0.path.path).hasSuffix("secret") })
            listings += listed.isGone ? 0 : 1
        }
        exchanges.cancel()
        #expect(await exchanges.value > 0)
        // The tasks also reached the folder itself.
        #expect(digests > 0 && listings > 0)
    }

    @Test func aPathThatIsLongerThanTheSystemTakesIsListedAndHashed() async throws {
        let name = String(repeating: "n", count: 200)
        var path = "\(root)/shown"
        var folder = open(path, O_RDONLY | O_DIRECTORY)
        for _ in 0..<Int(PATH_MAX) / 200 + 1 {
            try #require(mkdirat(folder, name, 0o755) == 0)
            let next = openat(folder, name, O_RDONLY | O_DIRECTORY)
            close(folder)
            folder = next
            path += "/" + name
        }
        let file = openat(folder, "file", O_CREAT | O_WRONLY, 0o644)
        #expect(write(file, "deep", 4) == 4)
        close(file)
        close(folder)
        let listed = try await list(path)
        #expect(listed.files.count == 1 && path.utf8.count > PATH_MAX)
        guard case .digest = try await hash(try #require(listed.files.first)) else {
            Issue.record("The file was not hashed")
            return
        }
        // Unlike FileManager, this also removes deeply nested files.
        let remove = Process()
        remove.executableURL = URL(filePath: "/bin/rm")
        remove.arguments = ["-rf", root]
        try remove.run()
        remove.waitUntilExit()
    }

    @Test func sizesThatAddUpToMoreThanAnIntegerHoldsHarmNobody() async throws {
        defer { remove() }
        let identity = WireIdentity(device: 1, number: 1)
        let file = ListFolder.File(
            path: WirePath(BytePath("\(root)/shown/a/b/file")),
            size: .max,
            identity: identity
        )
        let input = HashFiles.Input(files: [file, file, file], isHead: false)
        let outcomes = try await run(HashingOperation(input, in: shared, context))
        #expect(outcomes.count == 3)

        var files = HostFiles()
        let listing = ListFolder.Output(
            path: WirePath(BytePath("/x")),
            identity: identity,
            files: (0..<3)
                .map { number in
                    ListFolder.File(
                        path: WirePath(BytePath("/x/\(number)")),
                        size: .max,
                        identity: WireIdentity(device: 1, number: UInt64(number))
                    )
                },
            folders: [],
            problems: [],
            regularFileCount: .max
        )
        _ = files.listed(listing, on: "h1")
        _ = files.listed(listing, on: "h2")
        #expect(files.scannedFiles == .max)
        for batch in files.headBatches() {
            files.hashed(batch, batch.places.map { _ in .digest("same") })
        }
        let batches = files.contentBatches()
        #expect(batches.flatMap(\.places).count == 6)
        for batch in batches { files.hashed(batch, batch.places.map { _ in .digest("same") }) }
        #expect(files.hashedBytes == .max)
    }

    // MARK: Support

    private var context: RemoteContext {
        RemoteContext(key: "k", attempt: 1, worker: "h1") { _ in }
    }

    private func list(_ path: String?) async throws -> ListFolder.Output {
        let input = ListFolder.Input(folder: path.map { WirePath(BytePath($0)) })
        return try await run(ListingOperation(input, in: shared))
    }

    private func hash(_ file: ListFolder.File) async throws -> HashFiles.Outcome {
        let input = HashFiles.Input(files: [file], isHead: false)
        return try #require(try await run(HashingOperation(input, in: shared, context)).first)
    }

    private func run<Output: Sendable>(
        _ operation: ResultOperation<Output>
    ) async throws -> Output {
        TaskQueue(name: "Tests").addOperation(operation)
        return try await operation.value
    }

    /// A file with the values of the outside file, at another path.
    private func secret(at path: String) throws -> ListFolder.File {
        var status = stat()
        try #require(stat("\(root)/outside/b/file", &status) == 0)
        return ListFolder.File(
            path: WirePath(BytePath(path)),
            size: Int64(status.st_size),
            identity: WireIdentity(
                device: UInt64(truncatingIfNeeded: status.st_dev),
                number: UInt64(truncatingIfNeeded: status.st_ino)
            )
        )
    }

    private func text(_ path: BytePath) -> String { String(decoding: path.bytes, as: UTF8.self) }

    private func remove() { try? FileManager.default.removeItem(atPath: root) }
}
