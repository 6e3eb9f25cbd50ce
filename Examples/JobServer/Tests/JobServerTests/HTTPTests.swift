import Foundation
import XCTest

final class HTTPTests: XCTestCase {
    func testSearchIsSubmittedWatchedCancelledAndRunAgain() throws {
        let folder = try TestFolder()
        try folder.write("same", to: "a")
        try folder.write("same", to: "b")
        let server = try ServerProcess(in: folder, ["--allow", folder.path])
        let body = "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(folder.path)\"}}"
        let submitted = try server.post("/jobs", body)
        XCTAssertEqual(submitted.status, 201)
        XCTAssertEqual(submitted.headers["location"], "/jobs/\(submitted.id)")
        try server.wait(for: submitted.id, "succeeded")
        let detail = try server.get("/jobs/\(submitted.id)")
        let result = try XCTUnwrap(detail.json["result"] as? [String: Any])
        XCTAssertEqual(result["groupCount"] as? Int, 1)
        for name in ["previousID", "error", "tasks", "stall"] {
            XCTAssertTrue(detail.json[name] is NSNull, name)
        }
        let long = try server.submitSteps(1_000, 1_000)
        try server.wait(for: long.id, "tracks all") { $0["tasksTracked"] as? Int == 1_000 }
        let running = try server.get("/jobs/\(long.id)")
        XCTAssertEqual((running.json["tasks"] as? [String: Any])?["trackedCount"] as? Int, 1_000)
        let stall = try XCTUnwrap(running.json["stall"] as? String)
        XCTAssertLessThanOrEqual(stall.split(separator: "\n").count, 60)
        XCTAssertEqual(try server.post("/jobs/\(long.id)/run-again").status, 409)
        XCTAssertEqual(try server.post("/jobs/\(long.id)/cancel").status, 202)
        try server.wait(for: long.id, "cancelled")
        XCTAssertEqual(try server.post("/jobs/\(long.id)/cancel").status, 409)
        let again = try server.post("/jobs/\(long.id)/run-again")
        XCTAssertEqual(again.status, 201)
        XCTAssertEqual(again.json["previousID"] as? Int, long.id)
        XCTAssertEqual(again.json["attempt"] as? Int, 2)
        try server.wait(for: again.id, "tracks all") { $0["tasksTracked"] as? Int == 1_000 }
        let svg = try server.get("/jobs/\(again.id)/timeline.svg")
        XCTAssertEqual(svg.status, 200)
        XCTAssertFalse(svg.headers["content-security-policy"]?.contains("unsafe") ?? true)
        XCTAssertNotNil(try server.get("/jobs/\(again.id)/timeline.json").json["traceEvents"])
        XCTAssertEqual(try server.post("/jobs/\(again.id)/cancel").status, 202)
    }

    func testSameKeyIsTheFirstRunWhateverItsParameters() throws {
        let server = try ServerProcess(in: TestFolder())
        let body =
            "{\"kind\":\"steps\",\"key\":\"k\",\"parameters\":{\"count\":1,\"milliseconds\":0}}"
        let first = try server.post("/jobs", body)
        let second = try server.post("/jobs", "{\"kind\":\"nonsense\",\"key\":\"k\"}")
        XCTAssertEqual([first.status, second.status], [201, 200])
        XCTAssertEqual(first.id, second.id)
        try server.wait(for: first.id, "succeeded")
        let again = try server.post("/jobs/\(first.id)/run-again")
        XCTAssertEqual(again.status, 201)
        XCTAssertNotEqual(again.id, first.id)
    }

    func testQueueLimitCountsQueuedRunsOnly() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "1", "--queue-limit", "1"])
        let running = try server.submitSteps(1, 3_600_000)
        let queued = try server.submitSteps(1, 0)
        let refused = try server.submitSteps(1, 0)
        XCTAssertEqual([running.status, queued.status, refused.status], [201, 201, 429])
        XCTAssertNotNil(refused.headers["retry-after"])
        XCTAssertEqual(try server.post("/jobs/\(queued.id)/cancel").status, 202)
        XCTAssertEqual(try server.get("/jobs/\(queued.id)").state, "cancelled")
        XCTAssertEqual(try server.submitSteps(1, 0).status, 201)
        XCTAssertEqual(try server.post("/jobs/\(queued.id)/run-again").status, 429)
    }

    func testMoreJobsThanTasksRunAtATime() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "3", "--width", "1"])
        let ids = try (0..<4).map { _ in try server.submitSteps(2, 3_600_000).id }
        for id in ids.prefix(3) { try server.wait(for: id, "running") }
        XCTAssertEqual(try server.states()[ids[3]], "queued")
    }

    func testTokenIsNeeded() throws {
        let folder = try TestFolder()
        let token = try folder.write("s3cret\n", to: "token")
        let server = try ServerProcess(in: folder, ["--token-file", token])
        XCTAssertEqual(try server.get("/jobs").status, 401)
        XCTAssertEqual(try server.get("/metrics").status, 401)
        XCTAssertEqual(try server.get("/health").status, 200)
        let page = try server.get("/")
        XCTAssertEqual(page.status, 401)
        XCTAssertTrue(page.text.contains("<form id=\"login\""))
        XCTAssertEqual(
            try server.request("GET", "/jobs", ["Authorization: Bearer s3cret"]).status,
            200
        )
        XCTAssertEqual(try server.post("/login", "{\"token\":\"wrong\"}").status, 401)
        let login = try server.post("/login", "{\"token\":\"s3cret\"}")
        let cookie = try XCTUnwrap(login.headers["set-cookie"])
        XCTAssertTrue(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), cookie)
        let pair = try XCTUnwrap(cookie.split(separator: ";").first)
        XCTAssertEqual(try server.request("GET", "/jobs", ["Cookie: \(pair)"]).status, 200)
        server.signal(SIGTERM)
        XCTAssertEqual(try server.end(), 0)
        XCTAssertFalse(server.messages.contains("s3cret"))
    }

    func testMetricsCountEndsAndQueuesAndParse() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "1"])
        try server.wait(for: server.submitSteps(3, 0).id, "succeeded")
        try server.wait(for: server.submitSteps(3, 0, ",\"fails\":2").id, "failed")
        let running = try server.submitSteps(1, 3_600_000)
        let queued = try server.submitSteps(1, 0)
        try server.wait(for: running.id, "running")
        XCTAssertEqual(try server.post("/jobs/\(queued.id)/cancel").status, 202)
        _ = try server.submitSteps(1, 0)
        let samples = try metrics(server.get("/metrics").text)
        for (name, value) in [
            ("jobkit_jobs_total{kind=\"steps\",status=\"succeeded\"}", 1.0),
            ("jobkit_jobs_total{kind=\"steps\",status=\"failed\"}", 1),
            ("jobkit_jobs_total{kind=\"steps\",status=\"cancelled\"}", 1),
            ("jobkit_jobs{status=\"queued\"}", 1), ("jobkit_jobs{status=\"running\"}", 1),
            ("jobkit_tasks_total{status=\"failed\",type=\"Step\"}", 1),
            ("jobkit_job_duration_seconds_count{kind=\"steps\"}", 2),
            ("jobkit_job_queued_duration_seconds_count{kind=\"steps\"}", 3),
        ] {
            XCTAssertEqual(samples[name], value, name)
        }
    }

    /// Reads the text format; every line must have its form.
    private func metrics(_ text: String) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("# TYPE ") {
            let space = try XCTUnwrap(line.lastIndex(of: " "), "\(line)")
            samples[String(line[..<space])] = try XCTUnwrap(
                Double(line[line.index(after: space)...]),
                "\(line)"
            )
        }
        return samples
    }
}
