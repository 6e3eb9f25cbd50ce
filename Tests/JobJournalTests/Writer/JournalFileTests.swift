import Foundation
import JobKit
import XCTest

@testable import JobJournal

/// S8, S10 and S12 on real files.
final class JournalFileTests: XCTestCase {
    private func record(_ count: Int, in journal: JobJournal, version: Int = 1, size: Int = 1)
        async throws
    {
        for number in 0..<count {
            let step = journal.step("\(number)", version: version) { _ in
                String(repeating: "x", count: size)
            }
            step.start()
            _ = try await step.value
        }
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try XCTUnwrap(attributes[.posixPermissions] as? Int)
    }

    func testFilesAndFoldersAreTheUsersAlone() async throws {  // S10
        let folder = TemporaryFolder(self)
        let deep = folder.url.appendingPathComponent("one/two")
        let jobs = [
            "../../x", "", ".", "..", "a\u{0}b", String(repeating: "/", count: 10_000), "a/b",
        ]
        for job in jobs {
            let journal = try JobJournal(at: deep, job: job)
            try await record(1, in: journal)
            await journal.close()
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: deep.path)
        XCTAssertEqual(names.count, jobs.count)
        XCTAssertEqual(try folder.names, ["one"])
        for name in names {
            XCTAssertEqual(try mode(deep.appendingPathComponent(name).path), 0o600)
        }
        XCTAssertEqual(try mode(deep.path), 0o700)
        XCTAssertEqual(try mode(deep.deletingLastPathComponent().path), 0o700)
    }

    func testKeysAreAnyText() async throws {  // S10
        let folder = TemporaryFolder(self)
        let keys = [
            "", "a\u{0}", "a", "/", "..", String(repeating: "k", count: 10_000), "é", "e\u{301}",
        ]
        for _ in 1...2 {
            let journal = try folder.journal()
            for key in keys {
                let step = journal.step(key) { _ in Array(key.utf8) }
                step.start()
                let value = try await step.value
                XCTAssertEqual(value, Array(key.utf8))
            }
            XCTAssertEqual(journal.recordedCount, keys.count)
            await journal.close()
        }
    }

    func testLinksAreNotFollowed() async throws {  // S10
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        let file = try folder.file
        try await journal.remove()
        let target = folder.url.appendingPathComponent("target")
        try Data("kept".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        XCTAssertThrowsError(try folder.journal()) { XCTAssertTrue($0 is JobJournal.WriteError) }
        XCTAssertEqual(try String(contentsOf: target, encoding: .utf8), "kept")
        let link = folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
        XCTAssertThrowsError(try JobJournal(at: link, job: "other"))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        XCTAssertThrowsError(try folder.journal()) { XCTAssertTrue($0 is JobJournal.WriteError) }
        try FileManager.default.removeItem(at: file)
        mkfifo(file.path, 0o600)
        XCTAssertThrowsError(try folder.journal()) { XCTAssertTrue($0 is JobJournal.WriteError) }
    }

    func testDamageIsNamedAndTheFileStaysAsItIs() async throws {  // S8
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        try await record(5, in: journal)
        await journal.close()
        var bytes = try folder.bytes
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: folder.file)
        XCTAssertThrowsError(try folder.journal()) { error in
            let damage = error as? JobJournal.DamagedError
            XCTAssertEqual(damage?.file.lastPathComponent, "job.journal")
            XCTAssertLessThanOrEqual(damage?.offset ?? .max, bytes.count / 2)
        }
        XCTAssertEqual(try folder.bytes, bytes)
    }

    func testARecordThatRotsWhileTheJournalIsOpenIsNotGiven() async throws {  // S8
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        try await record(1, in: journal, size: 100)
        let file = try FileHandle(forUpdating: folder.file)
        try file.seek(toOffset: UInt64(folder.bytes.count - 20))
        try file.write(contentsOf: Data("?".utf8))
        let step = journal.step("0") { _ in "" }
        step.start()
        await step.waitForFinish()
        XCTAssertTrue(step.error is JobJournal.DamagedError)
    }

    func testMostlyObsoleteFileIsRewritten() async throws {  // S12
        for safety in [JobJournal.Safety.processCrash, .powerLoss] {
            let folder = TemporaryFolder(self)
            var journal = try folder.journal("job", safety)
            for version in 1...20 {
                try await record(4, in: journal, version: version, size: 300)
            }
            let begun = journal.step("begun") { _ -> Int in throw CancellationError() }
            begun.start()
            await begun.waitForFinish()
            let size = try folder.bytes.count
            await journal.close()
            journal = try folder.journal("job", safety)
            XCTAssertLessThan(try folder.bytes.count, size / 4)
            XCTAssertEqual(try folder.names.count, 1)
            XCTAssertEqual(journal.recordedCount, 4)
            try await record(4, in: journal, version: 20, size: 1)
            let again = journal.step("begun") { $0.mayHaveBegun }
            again.start()
            let mayHaveBegun = try await again.value
            XCTAssertTrue(mayHaveBegun)
            await journal.close()
            journal = try folder.journal("job", safety)
            XCTAssertEqual(journal.recordedCount, 5)
        }
    }

    func testARewritingThatFailsLeavesTheOldFile() async throws {  // S12
        let folder = TemporaryFolder(self)
        let journal = try folder.journal()
        for version in 1...20 { try await record(2, in: journal, version: version, size: 300) }
        await journal.close()
        let before = try folder.bytes
        var calls = FileCalls.system
        for failing in 0..<3 {
            calls = .system
            switch failing {
            case 0: calls.write = { _, _, _ in -Int(ENOSPC) }
            case 1: calls.sync = { _ in -Int(EIO) }
            default: calls.rename = { _, _, _ in -Int(EIO) }
            }
            XCTAssertThrowsError(
                try JournalShell(at: folder.url, job: "job", isSynced: false, calls: calls)
            ) { XCTAssertTrue($0 is JobJournal.WriteError) }
            XCTAssertEqual(
                try Array(Data(contentsOf: folder.url.appendingPathComponent("job.journal"))),
                before
            )
        }
        let next = try folder.journal()
        XCTAssertEqual(next.recordedCount, 2)
        XCTAssertEqual(try folder.names, ["job.journal"])
    }

    func testFileCutAtAnyByteOfItsLastRecordsContinues() async throws {  // S8
        for safety in [JobJournal.Safety.processCrash, .powerLoss] {
            let folder = TemporaryFolder(self)
            var sizes: [Int] = []
            let journal = try folder.journal("job", safety)
            for number in 0..<6 {
                let step = journal.step("\(number)") { _ in number }
                step.start()
                _ = try await step.value
                sizes.append(try folder.bytes.count)
            }
            await journal.close()
            let bytes = try folder.bytes
            for size in stride(from: sizes[2], through: bytes.count, by: journalStride(13)) {
                try Data(bytes[..<size]).write(to: folder.file)
                let cut = try folder.journal("job", safety)
                let whole = sizes.filter { $0 <= size }.count
                XCTAssertGreaterThanOrEqual(cut.recordedCount, whole)
                XCTAssertLessThanOrEqual(cut.recordedCount, whole + 1)
                let step = cut.step("5") { _ in 5 }
                step.start()
                let value = try await step.value
                XCTAssertEqual(value, 5)
                await cut.close()
            }
        }
    }
}
