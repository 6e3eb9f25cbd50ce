import JobKit
import XCTest

@testable import RemoteJobs

/// Tests empty and too long places, which are rejected without a broker.
final class InvalidNameErrorTests: LiveTestCase {
    private let places = ["", String(repeating: "x", count: 101), "a\u{0}b"]
    /// An address without a listener.
    private let nobody = [
        BrokerAddress(host: "127.0.0.1", port: 1, user: "guest", password: "guest")
    ]

    func testATaskOfAWrongPlaceFailsWithIt() async throws {
        let session = RemoteSession(job: "x", brokers: nobody)
        for place in places {
            let job = FanOut<Double2>([("a", 1)], in: session, at: place)
            try await run(job)
            XCTAssertThrowsError(try job.results["a"]?.get()) { error in
                XCTAssertEqual((error as? InvalidNameError)?.name, place)
            }
        }
    }

    func testNULInAKeyOrAJobIsRefused() async throws {
        let nobody = nobody
        let session = RemoteSession(job: "x", brokers: nobody)
        let job = FanOut<Double2>([("a\u{0}b", 1)], in: session)
        try await run(job)
        XCTAssertThrowsError(try job.results["a\u{0}b"]?.get()) { error in
            XCTAssertTrue(error is InvalidNameError, "\(error)")
        }
        let end = await outcome(
            of: Task { try await RemoteSession(job: "x\u{0}", brokers: nobody).open() }
        )
        XCTAssertThrowsError(try end.get()) { XCTAssertTrue($0 is InvalidNameError, "\($0)") }
    }

    func testAWorkerOfAWrongPlaceDoesNotRun() async throws {
        for place in places {
            let worker = RemoteWorker(name: "h1", brokers: nobody, width: 1)
            worker.register(Double2.self, at: place) { number, _ in ClosureOperation { number } }
            let end = await outcome(of: Task { try await worker.run() })
            XCTAssertThrowsError(try end.get()) { error in
                XCTAssertEqual((error as? InvalidNameError)?.name, place)
            }
        }
    }
}
