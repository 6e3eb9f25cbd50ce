import Foundation
import XCTest

final class LifeTests: XCTestCase {
    func testShutdownTellsByeLetsRunsEndAndExitsWithZero() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder, ["--grace", "3600", "--jobs", "1"])
        let listener = try EventListener(server)
        let ended = try server.submitSteps(0, 0).id
        try server.wait(for: ended, "succeeded")
        let running = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: running, "running")
        let queued = try server.submitSteps(1, 0).id
        server.signal(SIGTERM)
        try listener.wait(for: "bye") { $0.name == "bye" }
        XCTAssertEqual(try server.submitSteps(1, 0).status, 503)
        XCTAssertEqual(try server.post("/jobs/\(ended)/run-again").status, 503)
        XCTAssertEqual(try server.get("/health").status, 503)
        XCTAssertEqual(try server.get("/").status, 200)
        // Within the grace period, runs may end, and people may cancel them.
        XCTAssertEqual(try server.post("/jobs/\(running)/cancel").status, 202)
        try listener.wait(for: "the end") {
            $0.run["id"] as? Int == running && $0.run["state"] as? String == "cancelled"
        }
        try listener.waitForEnd()
        XCTAssertEqual(try server.end(), 0)
        let next = try ServerProcess(in: folder)
        try next.wait(for: queued, "succeeded")
        XCTAssertEqual(try next.get("/jobs/\(running)").state, "cancelled")
    }

    func testWhatTheShutdownCancelledIsInterruptedAndWhatAPersonDidCancelled() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder, ["--grace", "0", "--width", "4"])
        let stubborn = ",\"stubborn\":true"
        let cases: [(Int, String)] = [
            (try server.submitSteps(1, 3_600_000).id, "interrupted"),
            (try server.submitSteps(1, 3_600_000, stubborn).id, "interrupted"),
            (try server.submitSteps(1, 3_600_000, stubborn).id, "cancelled"),
        ]
        // Only an executing step ignores cancellation.
        try waitUntil("all steps are being taken") {
            try cases.allSatisfy { id, _ in
                try server.get("/jobs/\(id)").text
                    .contains("\"state\":\"executing\",\"trackedCount\":0")
            }
        }
        XCTAssertEqual(try server.post("/jobs/\(cases[2].0)/cancel").status, 202)
        XCTAssertEqual(try server.get("/jobs/\(cases[2].0)").state, "running")
        let listener = try EventListener(server)
        // The stubborn steps last longer than this timeout.
        server.signal(SIGINT)
        XCTAssertEqual(try server.end(), 0)
        try listener.waitForEnd()
        let next = try ServerProcess(in: folder)
        for (id, state) in cases {
            XCTAssertEqual(try next.get("/jobs/\(id)").state, state)
            XCTAssertTrue(
                listener.all.contains {
                    $0.run["id"] as? Int == id && $0.run["state"] as? String == state
                }
            )
        }
    }

    func testPortFileHasThePortWhileTheServerServes() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder, ["--port-file", folder.path + "/port"])
        let file = URL(filePath: folder.path + "/port")
        XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), "\(server.port)\n")
        server.signal(SIGTERM)
        XCTAssertEqual(try server.end(), 0)
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
    }

    func testSecondSignalEndsAtOnce() throws {
        let server = try ServerProcess(in: TestFolder(), ["--grace", "3600"])
        let listener = try EventListener(server)
        let id = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: id, "running")
        server.signal(SIGTERM)
        try listener.wait(for: "bye") { $0.name == "bye" }
        XCTAssertTrue(server.isRunning)
        // The grace period is longer than this timeout.
        server.signal(SIGTERM)
        XCTAssertNotEqual(try server.end(), 0)
    }

    func testKillLosesNothingThatWasAnswered() throws {
        let folder = try TestFolder()
        try folder.write("same", to: "a")
        let server = try ServerProcess(in: folder, ["--jobs", "2", "--allow", folder.path])
        let running = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: running, "running")
        let blocking = try server.submitSteps(1, 3_600_000).id
        try server.wait(for: blocking, "running")
        let queued = try (0..<20).map { _ in try server.submitSteps(1, 0).id }
        server.signal(SIGKILL)
        _ = try server.end()
        let next = try ServerProcess(in: folder, ["--jobs", "2", "--resume"])
        for id in queued { try next.wait(for: id, "succeeded") }
        XCTAssertEqual(try next.get("/jobs/\(running)").state, "interrupted")
        // Steps are not repeated after a crash, so there is no new run.
        XCTAssertEqual(try next.states().count, 22)
    }

    func testResumeRepeatsTheSearchThatACrashEnded() throws {
        let folder = try TestFolder()
        // Sparse files that are so large that their comparison lasts until it is cancelled.
        for name in ["a", "b"] {
            try folder.write("", to: name)
            XCTAssertEqual(truncate(folder.path + "/" + name, 1 << 42), 0)
        }
        let options = ["--allow", folder.path, "--resume"]
        let server = try ServerProcess(in: folder, options)
        let body = "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(folder.path)\"}}"
        let id = try server.post("/jobs", body).id
        try server.wait(for: id, "running")
        server.signal(SIGKILL)
        _ = try server.end()

        let next = try ServerProcess(in: folder, options)
        let first = try next.get("/jobs/\(id)")
        XCTAssertEqual(first.state, "interrupted")
        let runs = try next.get("/jobs?limit=10").json["runs"] as? [[String: Any]] ?? []
        XCTAssertEqual(runs.count, 2)
        let again = try XCTUnwrap(runs.first)
        XCTAssertEqual(again["previousID"] as? Int, id)
        XCTAssertEqual(again["attempt"] as? Int, 2)
        let repeated = try XCTUnwrap(again["id"] as? Int)
        try next.wait(for: repeated, "running")
        let parameters = try next.get("/jobs/\(repeated)").json["parameters"] as? [String: Any]
        XCTAssertEqual(parameters?["folder"] as? String, folder.path)
        XCTAssertEqual(try next.post("/jobs/\(repeated)/cancel").status, 202)
        try next.wait(for: repeated, "cancelled")
    }

    func testWrongStartsAreOneLineAndAStatus() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder)
        let text = try folder.write(String(repeating: "no database ", count: 99), to: "text")
        let empty = try folder.write("\n", to: "empty")
        let open = try folder.write("0123456789abcdef\n", to: "open", mode: 0o644)
        let short = try folder.write("secret\n", to: "short")
        let other = folder.path + "/other.sqlite"
        let cases: [[String]] = [
            ["--port", "\(server.port)", "--data", other],
            ["--port", "0", "--data", folder.data], ["--port", "0", "--data", text],
            ["--port", "0", "--data", folder.path], ["--port", "0", "--data", "/missing/x"],
            ["--host", "0.0.0.0"], ["--host", "192.0.2.1", "--token-file", text, "--data", other],
            ["--token-file", empty], ["--token-file", open], ["--token-file", short],
            ["--allow", folder.path + "/missing"], ["--allow", text], ["--durability", "x"],
            ["--time-limit", "0"], ["--time-limit", "nan"], ["--give-up", "-1"],
            ["--attempts", "0"], ["backup"], ["backup", other, "--data", folder.path + "/no"],
            ["backup", text, "--data", folder.data], ["check", "--data", text],
            ["check", "--data", folder.path + "/no"], ["--token-file", folder.path + "/missing"],
            ["--port-file", "/missing/port", "--data", other], ["--grace", "nan"],
            ["--broker", "http://h:1"], ["--grace", "-1"], ["--grace", "inf"],
            ["--grace", "1e300"], ["--port", "65536"],
            ["--port", "-1"], ["--jobs", "0"], ["--width", "0"], ["--queue-limit", "-1"],
            ["--keep-days", "-1"], ["--keep-days", "999999999999"], ["--nonsense"], ["extra"],
        ]
        for arguments in cases {
            let (status, messages) = try ServerProcess.run(arguments)
            XCTAssertTrue([64, 74].contains(status), "\(arguments): \(status) \(messages)")
            XCTAssertEqual(messages.split(separator: "\n").count, 1, "\(arguments): \(messages)")
            XCTAssertTrue(messages.hasPrefix("job-server: "), messages)
        }
    }

    func testNewlinesOfClientsDoNotForgeLogLines() throws {
        let folder = try TestFolder()
        let name = "a\nforged info"
        try FileManager.default.createDirectory(
            atPath: folder.path + "/" + name,
            withIntermediateDirectories: true
        )
        let server = try ServerProcess(in: folder, ["--allow", folder.path])
        let path = folder.path + "/a\\nforged info"
        let body = "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(path)\"}}"
        try server.wait(for: server.post("/jobs", body).id, "succeeded")
        server.signal(SIGTERM)
        XCTAssertEqual(try server.end(), 0)
        XCTAssertFalse(server.messages.split(separator: "\n").contains { $0.hasPrefix("forged") })
    }
}
