import Crypto
import Testing

@testable import FindDuplicates

@Suite struct DuplicateSearchTests {
    private static func file(_ path: String, size: Int64, number: UInt64, links: Bool = false)
        -> ScannedFile
    {
        ScannedFile(
            path: BytePath(path),
            size: size,
            identity: FileIdentity(device: 1, number: number),
            hasHardLinks: links
        )
    }

    private static func folder(_ number: UInt64, _ files: ScannedFile...) -> FolderListing {
        FolderListing(
            identity: FileIdentity(device: 1, number: number),
            files: files,
            folders: [BytePath("sub\(number)")],
            regularFileCount: files.count
        )
    }

    private static func digest(_ text: String) -> FileHasher.Outcome {
        .digest(SHA256.hash(data: Array(text.utf8)), byteCount: Int64(text.utf8.count))
    }

    @Test func fileOfASizeOfItsOwnIsNeverRead() {
        var search = DuplicateSearch(width: 1)
        _ = search.folderListed(
            Self.folder(1, Self.file("a", size: 1, number: 1), Self.file("b", size: 2, number: 2))
        )
        #expect(search.takeHeads(takesRest: true) == nil)
        #expect(search.report(isComplete: true).scannedFiles == 2)
    }

    @Test func secondFileOfASizeSendsBothToTheHeads() {
        var search = DuplicateSearch(width: 1)
        _ = search.folderListed(Self.folder(1, Self.file("a", size: 1, number: 1)))
        #expect(search.takeHeads(takesRest: true) == nil)
        _ = search.folderListed(Self.folder(2, Self.file("b", size: 1, number: 2)))
        #expect(search.takeHeads(takesRest: false)?.map(\.number).sorted() == [0, 1])
    }

    @Test func folderListedTwiceCountsOnce() {
        var search = DuplicateSearch(width: 1)
        let listing = Self.folder(1, Self.file("a", size: 1, number: 1))
        #expect(search.folderListed(listing) == [BytePath("sub1")])
        #expect(search.folderListed(listing) == [])
        #expect(search.takeHeads(takesRest: true) == nil)
        #expect(search.progress.scannedFiles == 1)
    }

    @Test func hardLinksAreOneFileUnderItsFirstName() {
        var search = DuplicateSearch(width: 1)
        _ = search.folderListed(
            Self.folder(
                1,
                Self.file("b", size: 1, number: 7, links: true),
                Self.file("a", size: 1, number: 7, links: true)
            )
        )
        #expect(search.takeHeads(takesRest: true) == nil)
        _ = search.folderListed(Self.folder(2, Self.file("c", size: 1, number: 8)))
        let batch = search.takeHeads(takesRest: true) ?? []
        search.headsHashed(batch, batch.map { _ in Self.digest("x") })
        #expect(
            search.report(isComplete: true).groups.map(\.paths) == [[BytePath("a"), BytePath("c")]]
        )
    }

    @Test func fileMountedAtTwoPlacesIsNoDuplicateOfItself() {
        var search = DuplicateSearch(width: 1)
        _ = search.folderListed(
            Self.folder(1, Self.file("a", size: 1, number: 7), Self.file("b", size: 1, number: 7))
        )
        let batch = search.takeHeads(takesRest: true) ?? []
        search.headsHashed(batch, batch.map { _ in Self.digest("x") })
        #expect(search.report(isComplete: true).groups == [])
    }

    @Test func smallFileIsKnownByItsHead() {
        var search = DuplicateSearch(width: 1)
        let size = FileHasher.headLength
        _ = search.folderListed(
            Self.folder(
                1,
                Self.file("a", size: size, number: 1),
                Self.file("b", size: size, number: 2)
            )
        )
        let batch = search.takeHeads(takesRest: true) ?? []
        search.headsHashed(batch, batch.map { _ in Self.digest("x") })
        #expect(search.takeContents(takesRest: true) == nil)
        #expect(search.report(isComplete: true).groups.count == 1)
        #expect(search.report(isComplete: true).hashedBytes == 2)
    }

    @Test func largeFilesOfEqualHeadsAreReadWhole() {
        var search = DuplicateSearch(width: 1)
        let size = FileHasher.headLength + 1
        _ = search.folderListed(
            Self.folder(
                1,
                Self.file("a", size: size, number: 1),
                Self.file("b", size: size, number: 2),
                Self.file("c", size: size, number: 3)
            )
        )
        let heads = search.takeHeads(takesRest: true) ?? []
        search.headsHashed(
            heads,
            heads.map { Self.digest($0.file.path == BytePath("c") ? "other" : "x") }
        )
        let contents = search.takeContents(takesRest: true) ?? []
        #expect(contents.map(\.number).sorted() == [0, 1])
        #expect(search.report(isComplete: false).groups == [])
        search.contentsHashed(contents, contents.map { _ in Self.digest("xy") })
        let report = search.report(isComplete: true)
        #expect(report.groups.map(\.paths) == [[BytePath("a"), BytePath("b")]])
        #expect(report.isComplete)
    }

    @Test func fileThatCannotBeReadIsNamedAndTheRestGoesOn() {
        var search = DuplicateSearch(width: 1)
        _ = search.folderListed(
            Self.folder(
                1,
                Self.file("a", size: 1, number: 1),
                Self.file("b", size: 1, number: 2),
                Self.file("c", size: 1, number: 3),
                Self.file("d", size: 1, number: 4)
            )
        )
        let batch = search.takeHeads(takesRest: true) ?? []
        let outcomes = batch.map { entry -> FileHasher.Outcome in
            switch entry.file.path {
            case BytePath("b"): .problem(FileProblem(path: entry.file.path, reason: "no"))
            case BytePath("c"): .vanished
            default: Self.digest("x")
            }
        }
        search.headsHashed(batch, outcomes)
        let report = search.report(isComplete: true)
        #expect(report.groups.map(\.paths) == [[BytePath("a"), BytePath("d")]])
        #expect(report.problems.map(\.path) == [BytePath("b")])
    }
}
