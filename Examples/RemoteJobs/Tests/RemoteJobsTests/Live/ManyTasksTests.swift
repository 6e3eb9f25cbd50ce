import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

final class ManyTasksTests: LiveTestCase {
    func testTenThousandTasksRunOnceEachAndWithinTheLimits() async throws {
        let broker = try await broker
        let session = try await open(
            jobName("many"),
            broker.addresses,
            options: .init(unconfirmed: 200, inFlight: 1_000)
        )
        let count = 10_000
        let job = FanOut<Double2>((0..<count).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        // Without a worker, exactly `inFlight` tasks reach the broker and stay there.
        let connection = try await broker.connect()
        try await waitUntil("the broker has what it may have") {
            try await connection.state(of: queue(of: session.job))?.messageCount == 1_000
        }
        let inFlight = await session.loop.inFlightCount
        XCTAssertEqual(inFlight, 1_000)
        XCTAssertEqual(session.counts.published, 1_000)
        let runs = RunLog()
        let workers = ["h1", "h2"]
            .map { name in
                startWorker(name, broker.addresses, prefetch: 128) { worker in
                    worker.register(Double2.self, at: place) { number, context in
                        ClosureOperation {
                            runs.ran(context.key)
                            return number
                        }
                    }
                }
            }
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(job.callbackCount, count)
        XCTAssertEqual(runs.all.count, count)
        XCTAssertEqual(runs.total, count)
        XCTAssertEqual(session.counts.published, count)
        XCTAssertEqual(session.duplicateOutcomes, 0)
        for worker in workers { try await worker.stop() }
        try await connection.close()
        try await session.close(removingJob: true)
    }

    func testADrainingWorkerEndsWhatRunsAndGivesTheRestBack() async throws {
        let broker = try await broker
        let session = try await open(jobName("drain"), broker.addresses)
        let (runs, release) = (RunLog(), Gate())
        let twoRun = expectation(description: "two run")
        twoRun.expectedFulfillmentCount = 2
        let first = startWorker("h1", broker.addresses, width: 2, prefetch: 30) { worker in
            worker.register(Double2.self, at: place) { _, context in
                AsyncOperation {
                    runs.ran("h1 \(context.key)")
                    twoRun.fulfill()
                    await release.waitUntilOpen()
                    return context.attempt
                }
            }
        }
        let job = FanOut<Double2>((0..<30).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [twoRun], timeout: 300)
        let stopping = Task { try await first.stop() }
        let connection = try await broker.connect()
        try await waitUntil("the rest is back") {
            try await connection.state(of: queue(of: session.job))?.messageCount == 28
        }
        let theRest = expectation(description: "the second has run the rest")
        theRest.expectedFulfillmentCount = 28
        let second = startWorker("h2", broker.addresses) { worker in
            worker.register(Double2.self, at: place) { _, context in
                ClosureOperation {
                    runs.ran("h2 \(context.key)")
                    theRest.fulfill()
                    return context.attempt
                }
            }
        }
        await fulfillment(of: [theRest], timeout: 300)
        release.open()
        _ = await outcome(of: stopping)
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(job.callbackCount, 30)
        XCTAssertEqual(runs.all.keys.filter { $0.hasPrefix("h1") }.count, 2)
        // Returning a task does not count as a failed delivery.
        XCTAssertEqual(Set(job.results.values.compactMap { try? $0.get() }), [1])
        try await second.stop()
        try await connection.close()
        try await session.close(removingJob: true)
    }

    func testATaskForAPlaceRunsOnlyThere() async throws {
        let broker = try await broker
        let session = try await open(jobName("places"), broker.addresses)
        let runs = RunLog()
        let places = ["here.or*there \(place)", "h#2 \(place)"]
        let workers = places.map { place in
            startWorker(place, broker.addresses) { worker in
                worker.register(Double2.self, at: place) { number, context in
                    ClosureOperation {
                        runs.ran("\(place) \(context.key)")
                        return number
                    }
                }
            }
        }
        for place in places {
            let inputs = (0..<10).map { ("\(place) \($0)", $0) }
            try await run(FanOut<Double2>(inputs, in: session, at: place))
        }
        let expected = places.flatMap { place in (0..<10).map { "\(place) \(place) \($0)" } }
        XCTAssertEqual(Set(runs.all.keys), Set(expected))
        for worker in workers { try await worker.stop() }
        try await session.close(removingJob: true)
    }

    func testAKeyOfAnyLengthAndAnyCharactersComesBack() async throws {
        let broker = try await broker
        let session = try await open(String(repeating: ".", count: 100), broker.addresses)
        let long = String(repeating: "k", count: SizeLimit.key)
        let keys = ["", "a.b#*%", String(repeating: "\u{1F600}", count: 500), "\n", long]
        let place = String(repeating: "#", count: 100)
        let worker = startWorker("h1", broker.addresses) { worker in
            worker.register(Double2.self, at: place) { _, context in
                ClosureOperation { context.key.utf8.count }
            }
        }
        let fanOut = FanOut<Double2>(keys.map { ($0, 0) }, in: session, at: place)
        try await run(fanOut)
        for key in keys { XCTAssertEqual(try fanOut.results[key]?.get(), key.utf8.count) }
        try await worker.stop()
        try await session.close(removingJob: true)
    }
}
