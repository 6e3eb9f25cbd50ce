import Foundation
import JobJournal
import JobKit
import JobKitTesting
import XCTest

@testable import resumable_import

final class ResumableImportTests: XCTestCase {
    private var folder = FileManager.default.temporaryDirectory

    override func setUp() async throws {
        folder.append(path: "ResumableImportTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDown() async throws {
        try FileManager.default.removeItem(at: folder)
    }

    private func serve() async throws -> (RowServer, RowClient) {
        let server = try RowServer(port: 0)
        Task { try await server.run() }
        return (server, RowClient(server: try await server.address()))
    }

    private func batches(_ rowCount: Int) throws -> [RowBatch] {
        let file = folder.appending(path: "rows.csv")
        try RowBatch.makeFile(at: file, rowCount: rowCount)
        return try RowBatch.all(of: file)
    }

    private func checksum(of batches: [RowBatch]) -> UInt64 {
        batches.flatMap(\.rows).reduce(0) { $0 &+ Checksum.of(String($1)) }
    }

    /// Runs the README's commands: kills the program in the middle and starts it again.
    func testAKilledImportSendsTheRestAndNoRowTwice() async throws {
        let (server, client) = try await serve()
        let batches = try batches(50_000)
        // On Linux, the bundle of the tests is the build folder.
        let bundle = Bundle(for: Self.self).bundleURL
        let built = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        let program = built.appending(path: "resumable-import")
        for session in 1...2 {
            let process = Process()
            process.executableURL = program
            process.arguments = [
                "--journal", folder.appending(path: "journal").path,
                "--csv", folder.appending(path: "rows.csv").path,
                "--server", client.server.absoluteString,
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            if session == 1 {
                while server.summary.rows < 10_000 { await Task.yield() }
                kill(process.processIdentifier, SIGKILL)
            }
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(),
                as: UTF8.self
            )
            process.waitUntilExit()
            XCTAssertEqual(process.terminationStatus, session == 1 ? SIGKILL : 0)
            if session == 2 {
                XCTAssertFalse(text.contains("500 batches, 0 of them known"), text)
                XCTAssertTrue(text.contains("has 50000 rows of 50000"), text)
            }
        }
        XCTAssertEqual(server.summary.rows, 50_000)
        XCTAssertEqual(server.summary.checksum, checksum(of: batches))
        await server.stop()
    }

    func testTheImportSurvivesEveryCrash() async throws {
        let (server, client) = try await serve()
        let batches = try batches(1_000)
        try await CrashPoints.check { journal in
            let job = RowImport(of: batches, to: client, journal: journal)
            try await job.run()
            return try await job.value.rows
        }
        await server.stop()
    }
}
