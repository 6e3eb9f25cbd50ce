import Foundation
import JobKit
import XCTest

@testable import JobJournal

/// S9: an error that concerns a folder names the folder and the system call.
final class FolderFailureTests: XCTestCase {
    /// Opens a journal and records one step.
    private func record(in folder: URL, _ calls: FileCalls = .system) async throws {
        let journal = try JobJournal(
            at: folder,
            job: "job",
            safety: .powerLoss,
            calls: calls,
            watch: nil
        )
        let step = journal.step("a") { _ in 1 }
        step.start()
        await step.waitForFinish()
        await journal.close()
        if let error = step.error { throw error }
    }

    private func error(
        _ folder: URL,
        _ calls: FileCalls = .system
    ) async throws -> JobJournal.WriteError {
        do {
            try await record(in: folder, calls)
        } catch {
            return try XCTUnwrap(error as? JobJournal.WriteError)
        }
        throw CancellationError()
    }

    private static func isFolder(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    func testFolderThatCannotBeSyncedIsNamed() async throws {
        for code in [EIO, ENOSYS, EOPNOTSUPP, EACCES] {
            let folder = TemporaryFolder(self)
            var calls = FileCalls.system
            calls.sync = { Self.isFolder($0) ? -Int(code) : FileCalls.system.sync($0) }
            let error = try await error(folder.url, calls)
            XCTAssertEqual((error.underlying as? POSIXError)?.code.rawValue, code)
            let reason = String(cString: strerror(code))
            XCTAssertEqual(
                error.description,
                "The file \(folder.url.path)/job.journal cannot be written: "
                    + "sync of \(folder.url.path) failed: \(reason)."
            )
        }
    }

    func testFolderAboveThatCannotBeSyncedIsNamed() async throws {
        let folder = TemporaryFolder(self)
        let syncs = Tally()
        var calls = FileCalls.system
        calls.sync = { file in
            Self.isFolder(file) && syncs.count() == 2 ? -Int(EIO) : FileCalls.system.sync(file)
        }
        let error = try await error(folder.url, calls)
        let above = folder.url.deletingLastPathComponent().path
        XCTAssertTrue(error.description.contains(": sync of \(above) failed: "), "\(error)")
    }

    func testSyncOfAFolderThatIsInterruptedOrImpossibleIsNoError() async throws {
        let folder = TemporaryFolder(self)
        let syncs = Tally()
        var calls = FileCalls.system
        calls.sync = { file in
            guard Self.isFolder(file) else { return FileCalls.system.sync(file) }
            return syncs.count() == 1 ? -Int(EINTR) : -Int(EINVAL)
        }
        try await record(in: folder.url, calls)
        XCTAssertGreaterThanOrEqual(syncs.value, 3)
    }

    func testFolderThatCannotBeOpenedOrMadeIsNamed() async throws {
        let folder = TemporaryFolder(self)
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let opening = try await error(file)
        XCTAssertTrue(opening.description.contains(": open of \(file.path) failed: "), "\(opening)")
        let below = file.appendingPathComponent("folder")
        let making = try await error(below)
        XCTAssertTrue(making.description.contains(": mkdir of \(below.path) failed: "), "\(making)")
    }
}
