import Foundation
import Testing

@testable import FindDuplicates

@Suite struct FolderTreeTests {
    private func listing(
        _ path: String,
        _ number: UInt64,
        change: Int64 = 0,
        files: [(name: String, number: UInt64)] = [],
        folders: [String] = [],
        problems: [String] = []
    ) -> FolderListing {
        var listing = FolderListing(
            path: BytePath(path),
            stamp: FileStamp(FileIdentity(device: 1, number: number), changeTime: change)
        )
        listing.files = files.map {
            let stamp = FileStamp(FileIdentity(device: 1, number: $0.number), linkCount: 3)
            return ScannedFile(path: BytePath("\(path)/\($0.name)"), size: 3, stamp: stamp)
        }
        listing.folders = folders.map { BytePath("\(path)/\($0)") }
        listing.problems = problems.map {
            FileProblem(path: BytePath("\(path)/\($0)"), reason: "closed")
        }
        listing.regularFileCount = files.count
        return listing
    }

    private func paths(_ files: [ScannedFile]) -> [String] {
        files.map { String(decoding: $0.path.bytes, as: UTF8.self) }
    }

    /// The first argument names the files that are in both, in any order of listings.
    ///
    /// The arguments are `a/c` and `.`.
    @Test(arguments: [false, true]) func earlierArgumentNamesWhatLiesInTwo(reversed: Bool) {
        var tree = FolderTree(argumentCount: 2) { _ in 1 }
        let inner = listing("a/c", 3, files: [("f", 7)], folders: ["d"])
        if !reversed {
            #expect(tree.listed(inner, at: .argument(0)).0 == [BytePath("a/c/d")])
        }
        let (folders, top) = tree.listed(
            listing(".", 1, files: [("top", 8)], folders: ["a"], problems: ["shut"]),
            at: .argument(1)
        )
        #expect(folders == [BytePath("./a")])
        let (_, middle) = tree.listed(listing("./a", 2, folders: ["c"]), at: top)
        let again = listing("./a/c", 3, files: [("f", 7)], folders: ["d"])
        let (below, location) = tree.listed(again, at: middle)
        #expect(below == (reversed ? [BytePath("./a/c/d")] : []))
        if reversed { #expect(tree.listed(inner, at: .argument(0)).0 == []) }
        let deep = listing(
            reversed ? "./a/c/d" : "a/c/d",
            4,
            files: [("g", 9)],
            problems: ["no"]
        )
        _ = tree.listed(deep, at: location)
        let named = tree.named()
        #expect(paths(named.files) == ["a/c/f", "a/c/d/g", "./top"])
        #expect(named.problems.map(\.path) == [BytePath("a/c/d/no"), BytePath("./shut")])
        #expect(tree.fileCount == 3)
    }

    /// A folder that is mounted in itself is named once.
    @Test func folderWithinItselfIsNamedOnce() {
        var tree = FolderTree(argumentCount: 1) { _ in 1 }
        let (_, top) = tree.listed(listing("a", 1, files: [("f", 7)]), at: .argument(0))
        #expect(tree.listed(listing("a/a", 1, files: [("f", 7)]), at: top).0 == [])
        #expect(paths(tree.named().files) == ["a/f"])
    }

    @Test func folderThatCannotBeListedIsNamedAsItsParentIs() {
        var tree = FolderTree(argumentCount: 3) { _ in 1 }
        let (_, top) = tree.listed(listing("b", 1, folders: ["c"]), at: .argument(1))
        tree.failed(FileProblem(path: BytePath("b/c"), reason: "closed"), at: top)
        _ = tree.listed(listing("a", 1, folders: ["c"]), at: .argument(0))
        tree.failed(FileProblem(path: BytePath("none"), reason: "gone"), at: .argument(2))
        #expect(tree.named().problems.map(\.path) == [BytePath("none"), BytePath("a/c")])
    }

    /// On such a file system, only the time of the change distinguishes folders and files.
    @Test func foldersAndFilesOfOneNumberAreAllSearched() {
        var tree = FolderTree(argumentCount: 2) { _ in 1 }
        let (a, b) = (listing("a", 4, change: 1), listing("b", 4, change: 2, folders: ["c"]))
        #expect(tree.listed(a, at: .argument(0)).0.isEmpty)
        #expect(tree.listed(b, at: .argument(1)).0 == [BytePath("b/c")])
        #expect(tree.listed(a, at: .argument(0)).0.isEmpty)
        let files = (0..<3)
            .map { number in
                let identity = FileIdentity(device: 1, number: 7)
                let stamp = FileStamp(identity, linkCount: 2, changeTime: Int64(number / 2))
                return ScannedFile(path: BytePath("\(number)"), size: 3, stamp: stamp)
            }
        var named = NamedFiles()
        named.beginArgument()
        named.add(files, problems: []) { $0 }
        let candidates = named.candidates()
        #expect(candidates.map { paths($0.files) } == [["0", "2"]])
    }

    /// The clock of such a file system is too coarse to distinguish them.
    @Test func foldersOfOneStampAreAllSearchedOrNamed() {
        var tree = FolderTree(argumentCount: 3) { listing throws(SystemError) in
            if listing.path == BytePath("c") { throw SystemError(code: ENOSPC) }
            return listing.path == BytePath("a") ? 1 : 2
        }
        for (number, name) in ["a", "b", "c"].enumerated() {
            let folders = tree.listed(
                listing(name, 4, folders: ["d"]),
                at: .argument(number)
            )
            #expect(folders.0 == (name == "c" ? [] : [BytePath("\(name)/d")]))
        }
        #expect(tree.listed(listing("b", 4, folders: ["d"]), at: .argument(1)).0 == [])
        #expect(tree.named().problems.map(\.path) == [BytePath("c")])
    }

    @Test func hugeFilesHaveTheirWholeSize() {
        let file = ScannedFile(
            path: BytePath("a"),
            size: 6 << 40,
            stamp: FileStamp(FileIdentity(device: 1, number: 1))
        )
        #expect(Candidates(size: 6 << 40, files: [file, file]).byteCount == 12 << 40)
        #expect(Candidates(size: .max / 2, files: [file, file, file]).byteCount == .max)
    }

    @Test func fileOfASizeOfItsOwnIsNoCandidate() {
        let sizes: [Int64] = [5, 3, 5, 4]
        let files = sizes.enumerated()
            .map { number, size in
                let stamp = FileStamp(FileIdentity(device: 1, number: UInt64(number)))
                return ScannedFile(path: BytePath("\(number)"), size: size, stamp: stamp)
            }
        var named = NamedFiles()
        named.beginArgument()
        named.add(files, problems: []) { $0 }
        let candidates = named.candidates()
        #expect(candidates.map(\.size) == [5])
        #expect(candidates.map { paths($0.files) } == [["0", "2"]])
    }

    @Test func hardLinksAreOneFileUnderTheFirstName() {
        var tree = FolderTree(argumentCount: 2) { _ in 1 }
        _ = tree.listed(
            listing("z", 1, files: [("b", 7), ("a", 7), ("other", 8)]),
            at: .argument(0)
        )
        _ = tree.listed(listing("a", 2, files: [("a", 7), ("last", 9)]), at: .argument(1))
        var named = tree.named()
        let candidates = named.candidates()
        #expect(candidates.map { paths($0.files) } == [["z/a", "z/other", "a/last"]])
    }
}
