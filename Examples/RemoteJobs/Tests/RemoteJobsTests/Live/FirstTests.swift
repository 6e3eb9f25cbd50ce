import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

final class FirstTests: LiveTestCase {
    func testTasksRunOnAWorkerAndFailWithItsError() async throws {
        let broker = try await broker
        let session = try await open(jobName("first"), broker.addresses)
        let worker = startWorker("h1", broker.addresses) { worker in
            worker.register(Double2.self, at: place) { number, _ in
                ClosureOperation {
                    guard number % 2 == 0 else { throw Double2.Odd(number: number) }
                    return number * 2
                }
            }
        }
        let job = FanOut<Double2>((0..<100).map { ("k\($0)", $0) }, in: session, at: place)
        try await run(job)
        XCTAssertEqual(job.callbackCount, 100)
        for number in 0..<100 {
            switch job.results["k\(number)"] {
            case .success(let value): XCTAssertEqual(value, number * 2)
            case .failure(let error):
                let expected = RemoteFailureError(
                    type: "Odd",
                    message: "\(number) is odd",
                    worker: "h1",
                    attempt: 1
                )
                XCTAssertEqual(error as? RemoteFailureError, expected)
            case nil: XCTFail("no result of \(number)")
            }
        }
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    func testWhoRunsATaskAndHowFarItIsAreTold() async throws {
        let broker = try await broker
        let session = try await open(jobName("told"), broker.addresses)
        let letEnd = Gate()
        let worker = startWorker("the worker", broker.addresses) { worker in
            worker.register(Double2.self, at: place) { number, context in
                AsyncOperation {
                    context.reportProgress(0.5)
                    await letEnd.waitUntilOpen()
                    return number
                }
            }
        }
        let job = FanOut<Double2>([("a", 1)], in: session, at: place)
        let progress = job.progress
        let running = Task { try await job.run() }
        try await waitUntil("half is done") { progress.fractionCompleted > 0.4 }
        let line = job.explainStall()
        XCTAssertTrue(line.contains("double a: executing"), line)
        XCTAssertTrue(line.contains("(on the worker, attempt 1"), line)
        letEnd.open()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(progress.fractionCompleted, 1)
        try await worker.stop()
        try await session.close(removingJob: true)
    }
}
