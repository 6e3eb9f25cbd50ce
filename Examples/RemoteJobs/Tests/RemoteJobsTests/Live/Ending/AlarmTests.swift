import JobKit
import XCTest

@testable import RemoteJobs

/// Tests sessions that end while the broker accepts no messages.
final class AlarmTests: LiveTestCase {
    func testCloseEndsUnderAnAlarmThatTheSessionHasNotNoticed() async throws {
        let broker = try await broker
        let session = try await open(jobName("alarm"), broker.addresses)
        let worker = startDoubler("h1", broker.addresses)
        let job = FanOut<Double2>([("a", 1)], in: session, at: place)
        try await run(job)
        // The broker blocks a connection at its next publication, which close() makes.
        let alarm = "{resource_limit, memory, node()}"
        try await broker.evaluate("rabbit_alarm:set_alarm({\(alarm), []}).")
        let hasClosed = expectation(description: "closed")
        Task {
            await session.close()
            hasClosed.fulfill()
        }
        let waited = await XCTWaiter.fulfillment(of: [hasClosed], timeout: 20)
        try await broker.evaluate("rabbit_alarm:clear_alarm(\(alarm)).")
        XCTAssertEqual(waited, .completed, "close() waits for the end of the alarm")
        try await worker.stop()
    }

    func testRemovalUnderAnAlarmFailsInsideItsTimeLimit() async throws {
        let broker = try await broker
        var options = RemoteSession.Options()
        options.patience = .seconds(4)
        let name = jobName("alarm removal")
        let session = try await open(name, broker.addresses, options: options)
        let worker = startDoubler("h1", broker.addresses)
        try await run(FanOut<Double2>([("a", 1)], in: session, at: place))
        let alarm = "{resource_limit, memory, node()}"
        try await broker.evaluate("rabbit_alarm:set_alarm({\(alarm), []}).")
        let closing = Task { try await session.close(removingJob: true) }
        let end = await outcome(of: closing, within: 20)
        try await broker.evaluate("rabbit_alarm:clear_alarm(\(alarm)).")
        XCTAssertThrowsError(try end.get()) { XCTAssertTrue($0 is JobNotRemovedError, "\($0)") }
        try await worker.stop()
        try await open(name, broker.addresses).close(removingJob: true)
    }
}
