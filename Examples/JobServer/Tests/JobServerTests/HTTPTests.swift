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

    func testKeyIsOneRunUntilThatFailsAndIsForOneSetOfParameters() throws {
        let server = try ServerProcess(in: TestFolder())
        func submit(_ parameters: String, key: String = "k", kind: String = "steps") throws
            -> Answer
        {
            try server.post(
                "/jobs",
                "{\"kind\":\"\(kind)\",\"key\":\"\(key)\",\"parameters\":{\(parameters)}}"
            )
        }
        let first = try submit("\"count\":1,\"milliseconds\":0")
        let same = try submit("\"milliseconds\":0,\"count\":1,\"width\":null")
        XCTAssertEqual([first.status, same.status], [201, 200])
        XCTAssertEqual(first.id, same.id)
        for other in [
            try submit("\"count\":2,\"milliseconds\":0"),
            try submit("\"count\":1,\"milliseconds\":0", kind: "find-duplicates"),
        ] {
            XCTAssertEqual(other.status, 409)
            XCTAssertEqual(other.field, "key")
        }
        try server.wait(for: first.id, "succeeded")
        let again = try server.post("/jobs/\(first.id)/run-again")
        XCTAssertEqual(again.status, 201)
        XCTAssertNotEqual(again.id, first.id)
        // Keys that only look equal are different.
        let looks = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
            .map { try? submit("\"count\":1,\"milliseconds\":0", key: $0).status }
        XCTAssertEqual(looks, [201, 201, 201, 201])
        // A failed run has released its key for the same parameters.
        let failing = "\"count\":1,\"milliseconds\":0,\"fails\":1"
        let failed = try submit(failing, key: "f")
        try server.wait(for: failed.id, "failed")
        let next = try submit(failing, key: "f")
        XCTAssertEqual(next.status, 201)
        XCTAssertNotEqual(next.id, failed.id)
        XCTAssertEqual(try submit("\"count\":9,\"milliseconds\":0", key: "f").status, 409)
        let long = try submit("\"count\":1,\"milliseconds\":3600000", key: "c")
        XCTAssertEqual(try server.post("/jobs/\(long.id)/cancel").status, 202)
        try server.wait(for: long.id, "cancelled")
        XCTAssertEqual(try submit("\"count\":1,\"milliseconds\":3600000", key: "c").status, 201)
    }

    func testQueueAndKindsArePausedAlsoAfterACrash() throws {
        let folder = try TestFolder()
        let server = try ServerProcess(in: folder, ["--allow", folder.path])
        let paused = try server.post("/kinds/steps/pause")
        XCTAssertEqual(paused.status, 200)
        let kinds = try XCTUnwrap(paused.json["kinds"] as? [[String: Any]])
        XCTAssertEqual(kinds.map { $0["name"] as? String }, ["find-duplicates", "steps"])
        XCTAssertEqual(kinds.map { $0["isPaused"] as? Bool }, [false, true])
        let steps = try server.submitSteps(1, 0).id
        let body = "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(folder.path)\"}}"
        try server.wait(for: server.post("/jobs", body).id, "succeeded")
        let stall = try server.get("/jobs/\(steps)").json["stall"] as? String
        XCTAssertEqual(stall, "The kind steps is paused. Its runs start when it is resumed.")
        XCTAssertEqual(try server.post("/queue/pause").json["isPaused"] as? Bool, true)
        server.signal(SIGKILL)
        try server.end()

        let second = try ServerProcess(in: folder, ["--allow", folder.path])
        let search = try second.post("/jobs", body).id
        let reason = try second.get("/jobs/\(search)").json["stall"] as? String
        XCTAssertEqual(reason, "The queue is paused. Runs start when it is resumed.")
        XCTAssertEqual(try second.get("/queue").json["queued"] as? Int, 2)
        // A kind that was paused by itself stays paused.
        XCTAssertEqual(try second.post("/queue/resume").json["isPaused"] as? Bool, false)
        try second.wait(for: search, "succeeded")
        XCTAssertEqual(try second.states()[steps], "queued")
        XCTAssertEqual(try second.post("/kinds/st%65ps/resume").status, 200)
        try second.wait(for: steps, "succeeded")
        XCTAssertEqual(try second.post("/kinds/other/pause").status, 404)
        XCTAssertEqual(try second.request("POST", "/queue/pause", [], body: "{}").status, 415)
        second.signal(SIGTERM)
        XCTAssertEqual(try second.end(), 0)
        XCTAssertTrue(second.messages.contains("The queue was resumed"), second.messages)
    }

    func testUrgentRunsStartFirstPlannedOnesLaterAndListsAreFiltered() throws {
        let server = try ServerProcess(in: TestFolder(), ["--jobs", "1"])
        let running = try server.submitSteps(1, 3_600_000)
        func submit(_ more: String, _ milliseconds: Int = 0) throws -> Answer {
            try server.post(
                "/jobs",
                "{\"kind\":\"steps\",\"parameters\":{\"count\":1,\"milliseconds\":\(milliseconds)},\(more)}"
            )
        }
        let low = try submit("\"priority\":-5")
        let high = try submit("\"priority\":5", 3_600_000)
        let later = try submit("\"runAt\":32503680000000")
        XCTAssertEqual(later.json["runAt"] as? Int, 32_503_680_000_000)
        XCTAssertEqual(high.json["priority"] as? Int, 5)
        XCTAssertEqual(
            try server.post("/jobs/\(low.id)/prioritize", "{\"priority\":9}").json["priority"]
                as? Int,
            9
        )
        XCTAssertEqual(
            try server.post("/jobs/\(running.id)/prioritize", "{\"priority\":9}").status,
            409
        )
        XCTAssertEqual(try server.post("/jobs/\(low.id)/prioritize", "{}").status, 422)
        XCTAssertEqual(try server.post("/jobs/99/prioritize", "{\"priority\":9}").status, 404)
        XCTAssertEqual(try server.post("/jobs/\(running.id)/cancel").status, 202)
        try server.wait(for: low.id, "succeeded")
        try server.wait(for: high.id, "running")
        XCTAssertEqual(try server.states()[later.id], "queued")

        let list = try server.get("/jobs?state=succeeded&state=cancelled&kind=steps")
        let runs = try XCTUnwrap(list.json["runs"] as? [[String: Any]])
        XCTAssertEqual(runs.map { $0["id"] as? Int }, [low.id, running.id])
        XCTAssertEqual(
            list.json["totals"] as? [String: Int],
            [
                "queued": 1, "running": 1, "succeeded": 1, "cancelled": 1, "failed": 0,
                "interrupted": 0,
            ]
        )
        XCTAssertEqual(
            (try server.get("/jobs?text=OF%201%20H").json["runs"] as? [Any])?.count,
            2
        )
        XCTAssertEqual((try server.get("/jobs?text=_").json["runs"] as? [Any])?.count, 0)
        XCTAssertEqual((try server.get("/jobs?kind=other").json["runs"] as? [Any])?.count, 0)

        let json = ["Content-Type: application/json"]
        XCTAssertEqual(try server.request("DELETE", "/jobs/\(high.id)", json).status, 409)
        XCTAssertEqual(try server.request("DELETE", "/jobs/\(low.id)").status, 415)
        XCTAssertEqual(try server.request("DELETE", "/jobs/\(low.id)", json).status, 204)
        XCTAssertEqual(try server.request("DELETE", "/jobs/\(low.id)", json).status, 404)
        XCTAssertEqual(try server.get("/jobs/\(low.id)").status, 404)
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
        let token = try folder.write("s3cret-of-16-chars\n", to: "token")
        let server = try ServerProcess(in: folder, ["--token-file", token])
        XCTAssertEqual(try server.get("/jobs").status, 401)
        XCTAssertEqual(try server.get("/metrics").status, 401)
        XCTAssertEqual(try server.get("/health").status, 200)
        let page = try server.get("/")
        XCTAssertEqual(page.status, 401)
        XCTAssertTrue(page.text.contains("<form id=\"login\""))
        XCTAssertEqual(
            try server.request("GET", "/jobs", ["Authorization: Bearer s3cret-of-16-chars"]).status,
            200
        )
        XCTAssertEqual(try server.post("/login", "{\"token\":\"wrong\"}").status, 401)
        let login = try server.post("/login", "{\"token\":\"s3cret-of-16-chars\"}")
        let cookie = try XCTUnwrap(login.headers["set-cookie"])
        XCTAssertTrue(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), cookie)
        let pair = try XCTUnwrap(cookie.split(separator: ";").first)
        XCTAssertEqual(try server.request("GET", "/jobs", ["Cookie: \(pair)"]).status, 200)
        server.signal(SIGTERM)
        XCTAssertEqual(try server.end(), 0)
        XCTAssertFalse(server.messages.contains("s3cret-of-16-chars"))
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

    /// Parses the text format, and checks the form of each line.
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
