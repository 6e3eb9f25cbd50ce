import JobKit
import XCTest

@testable import RemoteJobs

final class RightsTests: LiveTestCase {
    func testTasksThatTheUserMayNotPublishFailWithTheBrokersWords() async throws {
        let address = try await user(whoMayNotWriteTo: "jk1.tasks")
        let session = try await open(jobName("no tasks"), [address])
        let job = FanOut<Double2>((0..<3).map { ("k\($0)", $0) }, in: session, at: place)
        try await run(job)
        XCTAssertEqual(job.results.count, 3)
        XCTAssertEqual(job.failureTexts.count, 1)
        assertRefusal(job.failureTexts.first, "jk1.tasks", address)
        // The job is unchanged, and a user with the necessary rights can continue it.
        let broker = try await broker
        let next = try await open(session.job, broker.addresses)
        let worker = startDoubler("h1", broker.addresses)
        let again = FanOut<Double2>((0..<3).map { ("k\($0)", $0) }, in: next, at: place)
        try await run(again)
        XCTAssertEqual(again.failureTexts, [])
        try await worker.stop()
        try await next.close(removingJob: true)
    }

    func testAUserWhoMayNotWriteIntoStreamsOpensNoSessionAndRunsNoWorker() async throws {
        let address = try await user(whoMayNotWriteTo: "amq.default")
        let session = RemoteSession(job: jobName("no streams"), brokers: [address])
        let opening = await outcome(of: Task { try await session.open() })
        let worker = RemoteWorker(name: "h1", brokers: [address], width: 1)
        worker.register(Double2.self, at: place) { number, _ in ClosureOperation { number } }
        let running = await outcome(of: Task { try await worker.run() })
        for end in [opening, running] {
            guard case .failure(let error as BrokerRefusedError) = end else {
                XCTFail("\(end)")
                continue
            }
            assertRefusal("\(error)", "amq.default", address)
        }
    }

    private func assertRefusal(
        _ text: String?,
        _ exchange: String,
        _ address: BrokerAddress,
        line: UInt = #line
    ) {
        let text = text ?? "no error"
        for part in [address.description, "403", exchange, address.user] {
            XCTAssertTrue(text.contains(part), text, line: line)
        }
        XCTAssertFalse(text.contains(address.password), text, line: line)
    }

    /// Creates a broker user with all rights except writing to one exchange.
    private func user(whoMayNotWriteTo exchange: String) async throws -> BrokerAddress {
        let broker = try await broker
        let (user, password) = ("u\(UUID().uuidString.prefix(8))", UUID().uuidString)
        let writes = "^(?!\(exchange.replacing(".", with: "[.]"))$).*"
        func text(_ value: String) -> String { "<<\"\(value)\">>" }
        let names = [user, "/", ".*", writes, ".*", "test"].map(text).joined(separator: ", ")
        try await broker.evaluate(
            "U = rabbit_auth_backend_internal,"
                + " ok = U:add_user(\(text(user)), \(text(password)), \(text("test"))),"
                + " ok = U:set_permissions(\(names))."
        )
        return BrokerAddress(host: "127.0.0.1", port: broker.port, user: user, password: password)
    }
}
