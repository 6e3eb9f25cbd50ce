import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

final class FairnessTests: LiveTestCase {
    func testASmallJobBehindALargeOneTakesTurnsWithIt() async throws {
        let broker = try await broker
        let large = try await open(jobName("large"), broker.addresses)
        let small = try await open(jobName("small"), broker.addresses)
        let (log, letRun) = (EventLog(), Gate())
        let begun = expectation(description: "the large one runs")
        begun.expectedFulfillmentCount = 2
        begun.assertForOverFulfill = false
        let worker = startWorker("h1", broker.addresses, width: 2) { worker in
            worker.register(Double2.self, at: place) { number, context in
                AsyncOperation {
                    begun.fulfill()
                    await letRun.waitUntilOpen()
                    try await Task.sleep(for: .milliseconds(20))
                    log.record(context.key)
                    return number
                }
            }
        }
        let many = FanOut<Double2>((0..<200).map { ("l\($0)", $0) }, in: large, at: place)
        let first = Task { try await many.run() }
        await fulfillment(of: [begun], timeout: 300)
        let few = FanOut<Double2>((0..<10).map { ("s\($0)", $0) }, in: small, at: place)
        let second = Task { try await few.run() }
        let connection = try await broker.connect()
        try await waitUntil("the worker has heard of the small one") {
            let isHeard = try await connection.state(of: queue(of: small.job))?.consumerCount == 1
            return await small.loop.inFlightCount == 10 && isHeard
        }
        letRun.open()
        let smallEnd = await outcome(of: second)
        try smallEnd.get()
        let events = log.events
        let last = try XCTUnwrap(events.lastIndex { $0.hasPrefix("s") })
        let between = events[..<last].filter { $0.hasPrefix("l") }.count
        // Its ten tasks take turns with ten others. The worker already held some when the job
        // began.
        XCTAssertLessThan(between, 60)
        try await connection.close()
        let end = await outcome(of: first)
        try end.get()
        try await worker.stop()
        try await large.close(removingJob: true)
        try await small.close(removingJob: true)
    }

    func testAWorkerThatIsSlowHoldsNothingThatAFastOneCouldRun() async throws {
        let broker = try await broker
        let session = try await open(jobName("hoard"), broker.addresses)
        let (letEnd, held) = (Gate(), RunLog())
        let begun = expectation(description: "the slow one runs two")
        begun.expectedFulfillmentCount = 2
        let slow = startWorker("slow", broker.addresses, width: 2, prefetch: 64) { worker in
            worker.register(Double2.self, at: place) { number, context in
                AsyncOperation {
                    held.ran(context.key)
                    begun.fulfill()
                    await letEnd.waitUntilOpen()
                    return number
                }
            }
        }
        let job = FanOut<Double2>((0..<100).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [begun], timeout: 300)
        let fast = startDoubler("fast", broker.addresses)
        try await waitUntil("all but two have ended") {
            await session.loop.inFlightCount == 2
        }
        letEnd.open()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(held.total, 2)
        try await slow.stop()
        try await fast.stop()
        try await session.close(removingJob: true)
    }
}
