import Foundation
import XCTest

/// Tests jobs that hang, take too long or end the process, and their effect on others.
final class UntrustedJobsTests: XCTestCase {
    private static let stubborn = ",\"stubborn\":true"

    /// Two hung tasks once stopped all runs, and cancellation had no effect.
    func testHungRunsKeepNobodyWaitingAndAreGivenUp() throws {
        let server = try ServerProcess(
            in: TestFolder(),
            ["--width", "2", "--jobs", "3", "--give-up", "1"]
        )
        let more = Self.stubborn + ",\"width\":1"
        let hung = try (0..<2).map { _ in try server.submitSteps(2, 3_600_000, more).id }
        for id in hung { try server.wait(for: id, "runs") { $0["tasksTracked"] as? Int == 2 } }
        try server.wait(for: server.submitSteps(20, 1).id, "succeeded")
        for id in hung {
            let answer = try server.post("/jobs/\(id)/cancel")
            XCTAssertEqual(answer.status, 202)
            XCTAssertNotNil(answer.json["cancelRequestedAt"] as? Int)
        }
        for id in hung {
            try server.wait(for: id, "cancelled")
            let error = try server.get("/jobs/\(id)").json["error"] as? String ?? ""
            // The second step waits for the only permit, so it has nothing to stop.
            XCTAssertTrue(error.hasSuffix("s: Step 1."), error)
            XCTAssertTrue(error.hasPrefix("Abandoned"), error)
        }
        try server.wait(for: server.submitSteps(20, 1).id, "succeeded")
        let metrics = try server.get("/metrics").text
        XCTAssertTrue(metrics.contains("jobkit_jobs{status=\"running\"} 0"), metrics)
    }

    func testARunThatTakesTooLongFailsWithTheLimitsName() throws {
        let server = try ServerProcess(
            in: TestFolder(),
            ["--time-limit", "0.3", "--give-up", "0.3"]
        )
        let slow = try server.submitSteps(1, 3_600_000).id
        let hung = try server.submitSteps(1, 3_600_000, Self.stubborn).id
        let quick = try server.submitSteps(1, 0).id
        for id in [slow, hung] {
            try server.wait(for: id, "failed")
            let error = try server.get("/jobs/\(id)").json["error"] as? String ?? ""
            XCTAssertTrue(error.contains("--time-limit"), error)
            XCTAssertEqual(error.contains("Abandoned"), id == hung, error)
        }
        try server.wait(for: quick, "succeeded")
    }

    func testFailuresAreNamedWithoutTheAttemptsThatWentOn() throws {
        let server = try ServerProcess(in: TestFolder())
        let id = try server.submitSteps(5, 0, ",\"fails\":3").id
        try server.wait(for: id, "failed")
        let failures = try server.get("/jobs/\(id)").json["failures"] as? [[String: String]]
        XCTAssertEqual(
            failures,
            [["name": "Step 3", "error": "Step 3 failed, as requested."]]
        )
    }

    /// A run that ends its process once did so at each start, forever.
    func testResumeEndsAfterItsAttempts() throws {
        let folder = try TestFolder()
        for name in ["a", "b"] {
            try folder.write("", to: name)
            XCTAssertEqual(truncate(folder.path + "/" + name, 1 << 42), 0)
        }
        let options = ["--allow", folder.path, "--resume", "--attempts", "3"]
        let body = "{\"kind\":\"find-duplicates\",\"parameters\":{\"folder\":\"\(folder.path)\"}}"
        var server = try ServerProcess(in: folder, options)
        var last = try server.post("/jobs", body).id
        for attempt in 1...3 {
            try server.wait(for: last, "running")
            XCTAssertEqual(try server.get("/jobs/\(last)").json["attempt"] as? Int, attempt)
            server.signal(SIGKILL)
            try server.end()
            server = try ServerProcess(in: folder, options)
            let newest = try XCTUnwrap(server.states().keys.max())
            XCTAssertEqual(newest > last, attempt < 3)
            last = newest
        }
        let left = try server.get("/jobs/\(last)")
        XCTAssertEqual(left.state, "interrupted")
        let error = left.json["error"] as? String ?? ""
        XCTAssertTrue(error.contains("3 starts"), error)
        // A person may still repeat it.
        XCTAssertEqual(try server.post("/jobs/\(last)/run-again").status, 201)
    }
}
