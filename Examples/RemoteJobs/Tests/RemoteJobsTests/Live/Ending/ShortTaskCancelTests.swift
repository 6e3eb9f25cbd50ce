import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

/// Tests the cancellation of tasks so short that a worker has several consumers of a queue.
final class ShortTaskCancelTests: LiveTestCase {
    /// The lengths of tasks, in milliseconds.
    ///
    /// A worker changes its plan at 100.
    private static let lengths = [0, 1, 5, 20, 50, 80, 100, 150, 300, 500]

    func testCancelledJobEndsWithOneWorkerWhateverTheLengthOfItsTasks() async throws {
        for milliseconds in Self.lengths {
            try await cancelJob(ofTasksOf: milliseconds, workers: 1)
        }
    }

    func testCancelledJobEndsWithThreeWorkersWhateverTheLengthOfItsTasks() async throws {
        for milliseconds in Self.lengths {
            try await cancelJob(ofTasksOf: milliseconds, workers: 3)
        }
    }

    /// Cancels a job when its workers have as many consumers as they plan for tasks of this length.
    private func cancelJob(ofTasksOf milliseconds: Int, workers: Int) async throws {
        let broker = try await broker
        let name = jobName("short \(milliseconds)")
        let session = try await open(name, broker.addresses)
        let (begun, beganAfterTheEnd, hasEnded) = (RunLog(), RunLog(), Gate())
        var running: [LocalWorker] = []
        for number in 1...workers {
            let worker = startWorker("h\(number)", broker.addresses, width: 2) { worker in
                worker.register(Double2.self, at: place) { number, context in
                    begun.ran(context.key)
                    if hasEnded.isOpen { beganAfterTheEnd.ran(context.key) }
                    return AsyncOperation {
                        if milliseconds > 0 {
                            try await Task.sleep(for: .milliseconds(milliseconds))
                        }
                        return number
                    }
                }
            }
            running.append(worker)
        }
        let job = FanOut<Double2>(
            (0..<200_000).map { ("k\($0)", $0) },
            in: session,
            at: place,
            atATime: 2_000
        )
        let ending = Task { try await job.run() }
        // If tasks take less than 100 ms, a worker starts a second consumer.
        let expected = milliseconds < 100 ? workers + 1 : workers
        let connection = try await broker.connect()
        try await waitUntil("\(expected) consumers") {
            let state = try await connection.state(of: queue(of: name))
            return begun.total > 2 * workers && (state?.consumerCount ?? 0) >= expected
        }
        job.cancel()
        let end = await outcome(of: ending, within: 20)
        hasEnded.open()
        XCTAssertThrowsError(try end.get(), "\(milliseconds) ms") {
            XCTAssertTrue($0 is CancellationError, "\($0)")
        }
        try await session.close(removingJob: true)
        try await connection.close()
        for worker in running { try await worker.stop() }
        XCTAssertEqual(beganAfterTheEnd.total, 0, "\(milliseconds) ms")
    }
}
