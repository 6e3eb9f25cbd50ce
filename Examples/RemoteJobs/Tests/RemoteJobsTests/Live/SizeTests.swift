import JobKit
import XCTest

@testable import RemoteJobs

final class SizeTests: LiveTestCase {
    /// More bytes than RabbitMQ accepts in a message by default, 128 MiB.
    private static let tooMany = 135_000_000

    func testWhatIsTooLargeFailsAloneAndSaysWhat() async throws {
        let broker = try await broker
        let session = try await open(jobName("too large"), broker.addresses)
        let worker = startWorker("h1", broker.addresses) { worker in
            worker.register(Echo.self, at: place) { text, _ in
                ClosureOperation {
                    text == "grow" ? String(repeating: "x", count: SizeTests.tooMany) : text
                }
            }
        }
        let longKey = String(repeating: "k", count: 140_000)
        let inputs = [
            ("input", String(repeating: "x", count: SizeTests.tooMany)), ("outcome", "grow"),
            (longKey, "a"), ("later", "b"),
        ]
        let job = FanOut<Echo>(inputs, in: session, at: place)
        try await run(job)
        XCTAssertEqual(try job.results["later"]?.get(), "b")
        let (size, limit) = (SizeTests.tooMany + 2, 133_169_152)
        XCTAssertEqual(
            error(of: "input", in: job),
            "The input of the task input has \(size) bytes; at most \(limit) may travel."
        )
        XCTAssertEqual(
            error(of: "outcome", in: job),
            "The outcome of the task outcome has \(size) bytes; at most \(limit) may travel."
                + " (on h1, attempt 1)"
        )
        XCTAssertEqual(
            error(of: longKey, in: job),
            "The key of the task \(longKey.prefix(40))... has 140000 bytes; at most 40000 may travel."
        )
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    private func error(of key: String, in job: FanOut<Echo>) -> String? {
        guard case .failure(let error)? = job.results[key] else { return nil }
        return "\(error)"
    }
}
