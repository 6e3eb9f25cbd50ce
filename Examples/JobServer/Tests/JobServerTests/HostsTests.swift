import FindDuplicates
import Foundation
import JobKit
import JobKitTesting
import RemoteDuplicates
import RemoteJobs
import XCTest

/// Tests searches of hosts with a real broker.
final class HostsTests: XCTestCase {
    /// Runs on the main thread, because it blocks its thread.
    ///
    /// The workers need Swift's cooperative pool, which has only one thread on a single core.
    @MainActor
    func testASearchOfHostsShowsWhoRunsWhatAndEndsWithTheGroups() async throws {
        let (folder, names) = (try TestFolder(), ["h1", "h2"].map { "\($0).\(UUID())" })
        let files = try TestFolder()
        for name in ["one", "two"] { try files.write("the same", to: name) }
        let broker = try BrokerProcess(in: folder)
        let brokers = try BrokerAddress.parse(broker.url)
        // The second host begins to list its folder and then fails.
        let letFail = Gate()
        let workers = names.map { RemoteWorker(name: $0, brokers: brokers, width: 2) }
        let shared = SharedFolder(BytePath(files.path))
        workers[0].registerDuplicates(of: shared, host: names[0])
        workers[1]
            .register(BrokenListing.self, at: names[1]) { _, _ in
                AsyncOperation<Int> {
                    await letFail.waitUntilOpen()
                    throw BrokenListing.DiskFailed()
                }
            }
        let running = workers.map { worker in Task.detached { try await worker.run() } }
        defer { for task in running { task.cancel() } }

        let server = try ServerProcess(in: folder, ["--broker", broker.url])
        let hosts = names.map { "\"\($0)\"" }.joined(separator: ",")
        let parameters = "{\"hosts\":[\(hosts)]}"
        let kind = "find-duplicates-on-hosts"
        let run = try server.post("/jobs", "{\"kind\":\"\(kind)\",\"parameters\":\(parameters)}")
        XCTAssertEqual(run.status, 201, run.text)
        try waitUntil("the page says who runs the listing") {
            let stall = try server.get("/jobs/\(run.id)").json["stall"] as? String ?? ""
            return stall.contains("\(names[1]): list the folder: executing")
                && stall.contains("(on \(names[1]), attempt 1")
        }
        letFail.open()
        try server.wait(for: run.id, "succeeded")
        let end = try server.get("/jobs/\(run.id)").json
        let result = try XCTUnwrap(end["result"] as? [String: Any])
        XCTAssertEqual(result["groupCount"] as? Int, 1)
        let groups = try XCTUnwrap(result["groups"] as? [[String: Any]])
        let expected = ["one", "two"].map { "\(names[0]):\(files.path)/\($0)" }
        XCTAssertEqual(groups.first?["paths"] as? [String], expected)
        let problems = try XCTUnwrap(result["problems"] as? [String])
        XCTAssertEqual(problems.count, 1)
        XCTAssertTrue(problems[0].hasPrefix("\(names[1]):the folder: "), problems[0])
        // The job's name was chosen, so that the run can be repeated.
        let settled = try XCTUnwrap(end["parameters"] as? [String: Any])
        XCTAssertNotNil(settled["job"] as? String)
        for task in running {
            task.cancel()
            try await task.value
        }
    }

    func testWithoutABrokerTheRunFailsAndNamesItWithoutThePassword() throws {
        let server = try ServerProcess(in: TestFolder())
        let body = "{\"kind\":\"find-duplicates-on-hosts\",\"parameters\":{\"hosts\":[\"h1\"]}}"
        let refused = try server.post("/jobs", body)
        XCTAssertEqual(refused.status, 422)
        XCTAssertEqual(refused.field, "kind")

        // No process listens on this port. The run is cancelled while it tries to reach the broker.
        let port = try BrokerProcess.freePorts()
        let url = "amqp://u:secret@127.0.0.1:\(port)"
        let other = try ServerProcess(in: TestFolder(), ["--broker", url])
        let id = try other.post("/jobs", body).id
        try waitUntil("it looks for the broker") {
            try other.get("/jobs/\(id)").text.contains("reach the broker: executing")
        }
        XCTAssertEqual(try other.post("/jobs/\(id)/cancel").status, 202)
        try other.wait(for: id, "cancelled")
        other.signal(SIGTERM)
        XCTAssertEqual(try other.end(), 0)
        XCTAssertFalse(other.messages.contains("secret"), other.messages)
    }
}

/// A listing with the real work's name that fails.
private enum BrokenListing: RemoteWork {
    static let name = "duplicates-list"
    struct Input: Codable, Sendable {}
    typealias Output = Int

    struct DiskFailed: Error {}
}
