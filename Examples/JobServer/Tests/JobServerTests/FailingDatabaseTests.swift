import Foundation
import XCTest

/// Tests runs while the real database file cannot be written.
final class FailingDatabaseTests: XCTestCase {
    /// A disk that was full for five seconds once lost the whole queue.
    func testAFullDiskDropsNothing() throws {
        let folder = try TestFolder()
        let disk = try SmallDisk(in: folder, megabytes: 8)
        let server = try ServerProcess(
            in: folder,
            ["--jobs", "2"],
            data: disk.path + "/data.sqlite"
        )
        let running = try (0..<2).map { _ in try server.submitSteps(1, 4_000).id }
        let queued = try (0..<40).map { _ in try server.submitSteps(1, 1).id }
        let cancelled = try XCTUnwrap(queued.last)
        let listener = try EventListener(server)
        try disk.fill()
        // The executing runs end, and nothing can be saved.
        try waitUntil("the store fails") { try server.get("/health").status == 503 }
        let health = try server.get("/health")
        XCTAssertEqual(health.json["status"] as? String, "failing")
        XCTAssertNotNil(health.json["reason"] as? String)
        let refused = try server.submitSteps(1, 1)
        XCTAssertEqual(refused.status, 503)
        XCTAssertNotNil(refused.headers["retry-after"])
        XCTAssertEqual(try server.post("/jobs/\(cancelled)/cancel").status, 202)
        XCTAssertTrue(
            listener.all.allSatisfy { event in
                event.runs.allSatisfy {
                    ["queued", "running"].contains($0["state"] as? String ?? "")
                }
            },
            "An end was told that is not written"
        )
        try disk.empty()
        for id in running + queued.dropLast() { try server.wait(for: id, "succeeded") }
        try server.wait(for: cancelled, "cancelled")
        try waitUntil("the store is back") { try server.get("/health").status == 200 }
        let started = try (queued.dropLast())
            .map { id in try XCTUnwrap(server.get("/jobs/\(id)").json["startedAt"] as? Int) }
        XCTAssertEqual(started, started.sorted(), "Runs have lost their order")
        XCTAssertEqual(try server.submitSteps(1, 1).status, 201)
        server.signal(SIGTERM)
        XCTAssertEqual(try server.end(), 0)
        for words in ["cannot be written", "can be written again"] {
            let count = server.messages.split(separator: "\n").count { $0.contains(words) }
            XCTAssertEqual(count, 1, server.messages)
        }
    }

    /// A lock longer than the server's patience once left ended runs in the state running forever.
    func testALockLongerThanThePatienceLosesNoEnd() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder, ["--jobs", "1"])
        let ending = try server.submitSteps(1, 4_000).id
        try server.wait(for: ending, "running")
        let next = try server.submitSteps(1, 1).id
        let lock = try DatabaseLock(on: folder.data, in: folder)
        try waitUntil("the store fails") { try server.get("/health").status == 503 }
        XCTAssertEqual(try server.get("/jobs/\(ending)").state, "running")
        XCTAssertEqual(try server.get("/jobs/\(next)").state, "queued")
        XCTAssertEqual(try server.submitSteps(1, 1).status, 503)
        XCTAssertEqual(try server.post("/jobs/\(ending)/run-again").status, 503)
        lock.release()
        try server.wait(for: ending, "succeeded")
        try server.wait(for: next, "succeeded")
        let result = try server.get("/jobs/\(ending)").json["result"] as? [String: Any]
        XCTAssertEqual(result?["steps"] as? Int, 1)
    }

    func testAFileThatIsGoneOrReplacedEndsTheProcessBeforeItLosesMore() throws {
        for isReplaced in [false, true] {
            let folder = try TestFolder()
            let server = try ServerProcess(in: folder)
            let listener = try EventListener(server)
            let id = try server.submitSteps(1, 3_600_000).id
            try server.wait(for: id, "running")
            if isReplaced {
                let (status, messages) = try ServerProcess.run(
                    ["backup", folder.path + "/copy", "--data", folder.data]
                )
                XCTAssertEqual(status, 0, messages)
                XCTAssertEqual(rename(folder.path + "/copy", folder.data), 0)
            } else {
                XCTAssertEqual(unlink(folder.data), 0)
            }
            XCTAssertEqual(try server.end(), 74)
            let last = server.messages.split(separator: "\n").last ?? ""
            XCTAssertTrue(last.hasPrefix("job-server: The file \(folder.data)"), "\(last)")
            listener.close()
        }
    }

    func testABackupOfALiveServerIsWholeAndTheCheckFindsFlippedPages() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder)
        for _ in 0..<50 { _ = try server.submitSteps(1, 0) }
        let last = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: last, "running")
        let copy = folder.path + "/copy.sqlite"
        XCTAssertEqual(try ServerProcess.run(["backup", copy, "--data", folder.data]).0, 0)
        XCTAssertEqual(try ServerProcess.run(["check", "--data", folder.data]).0, 0)
        XCTAssertEqual(try ServerProcess.run(["check", "--data", copy]).0, 0)
        // The copy is one file with everything that was confirmed.
        XCTAssertFalse(FileManager.default.fileExists(atPath: copy + "-wal"))
        let restored = try TestFolder()
        try FileManager.default.copyItem(atPath: copy, toPath: restored.data)
        let second = try ServerProcess(in: restored)
        let states = try second.states()
        XCTAssertEqual(states.count, 51)
        XCTAssertEqual(states[last], "interrupted")

        let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: copy))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 8_192)
        try file.write(contentsOf: Data(repeating: 0x5A, count: Int(min(size - 8_192, 16_384))))
        try file.close()
        let (status, messages) = try ServerProcess.run(["check", "--data", copy])
        XCTAssertEqual(status, 74)
        XCTAssertEqual(messages.split(separator: "\n").count, 1, messages)
    }
}
