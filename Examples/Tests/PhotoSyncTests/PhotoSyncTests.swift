import Foundation
import XCTest

@testable import photo_sync

final class PhotoSyncTests: XCTestCase {
    private var folder = FileManager.default.temporaryDirectory

    override func setUp() async throws {
        folder.append(path: "PhotoSyncTests-\(UUID().uuidString)")
        for album in ["spring", "summer"] {
            let album = folder.appending(path: "photos/\(album)")
            try FileManager.default.createDirectory(at: album, withIntermediateDirectories: true)
            for number in 100..<130 {
                try Data("photo \(number)".utf8).write(to: album.appending(path: "\(number).jpg"))
            }
        }
    }

    override func tearDown() async throws {
        try FileManager.default.removeItem(at: folder)
    }

    /// Runs the program and returns its output.
    private func run(_ server: URL, _ flags: [String] = [], killedWhen: () -> Bool = { false })
        async throws -> String
    {
        let bundle = Bundle(for: Self.self).bundleURL
        let built = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        let process = Process()
        process.executableURL = built.appending(path: "photo-sync")
        process.arguments =
            [
                "--photos", folder.appending(path: "photos").path,
                "--outbox", folder.appending(path: "outbox").path,
                "--server", server.absoluteString,
            ] + flags
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        while process.isRunning, !killedWhen() { await Task.yield() }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Runs the README's commands: kills the program repeatedly and starts it again.
    func testKilledSyncUploadsTheRest() async throws {
        let server = try PhotoServer(port: 0)
        let running = Task { try await server.run() }
        defer { running.cancel() }
        let url = try await server.address()
        for limit in [1, 9, 20] {
            _ = try await run(url, killedWhen: { server.photoCount >= limit })
        }
        let waiting = try await run(url, ["--explain"])
        XCTAssertTrue(waiting.contains("of \"s"), waiting)
        let last = try await run(url)
        XCTAssertTrue(last.contains("all photos are uploaded"), last)
        let photos = folder.appending(path: "photos").path
        let left = try FileManager.default.subpathsOfDirectory(atPath: photos)
        XCTAssertEqual(left.filter { $0.hasSuffix(".jpg") }, [])
        XCTAssertEqual(left.filter { $0.hasSuffix(".jpg.uploaded") }.count, 60)
        // Each photo has one idempotency key.
        XCTAssertEqual(server.photoCount, 60)
        let empty = try await run(url, ["--explain"])
        XCTAssertTrue(empty.contains("0 entries"), empty)
    }
}
