import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

/// Tests names of jobs and tasks that differ only in Unicode normalization.
final class NameByBytesTests: LiveTestCase {
    func testTasksWhoseKeysLookTheSameBothRun() async throws {
        let broker = try await broker
        let session = try await open(jobName("keys"), broker.addresses)
        let worker = startDoubler("h1", broker.addresses)
        let keys = ["/d/\u{E9}", "/d/e\u{301}", "K", "\u{212A}"]
        let job = FanOut<Double2>(keys.enumerated().map { ($1, $0) }, in: session, at: place)
        try await run(job)
        let results = try job.tasks.map { try XCTUnwrap($0.result).get() }
        XCTAssertEqual(results, [0, 2, 4, 6])
        try await session.close(removingJob: true)
        try await worker.stop()
    }

    func testJobsWhoseIDsLookTheSameAreServedSideBySide() async throws {
        let broker = try await broker
        let end = jobName("")
        let gate = Gate()
        let worker = startWorker("h1", broker.addresses, width: 4) { worker in
            worker.register(Double2.self, at: place) { number, _ in
                AsyncOperation {
                    if number == 0 { await gate.waitUntilOpen() }
                    return number
                }
            }
        }
        let first = try await open("jo\u{301}b" + end, broker.addresses)
        let second = try await open("j\u{F3}b" + end, broker.addresses)
        let held = FanOut<Double2>([("a", 0)], in: first, at: place)
        let holding = Task { try await held.run() }
        try await waitUntil("the first runs") { held.tasks.first?.runner != nil }
        // The second job ends while the first one runs.
        try await run(FanOut<Double2>((1..<20).map { ("k\($0)", $0) }, in: second, at: place))
        gate.open()
        let outcome = await outcome(of: holding)
        try outcome.get()
        try await first.close(removingJob: true)
        try await second.close(removingJob: true)
        try await worker.stop()
    }
}
