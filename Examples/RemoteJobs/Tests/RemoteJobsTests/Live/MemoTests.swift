import AMQP
import JobKit
import JobKitTesting
import NIOCore
import XCTest

@testable import RemoteJobs

/// Tests the results that a later run of a job reuses, and the removal of a job.
final class MemoTests: LiveTestCase {
    func testALateOutcomeOfAnotherWorkDoesNotSettleATaskOfTheSameKey() async throws {
        let broker = try await broker
        let name = jobName("same key")
        let first = try await open(name, broker.addresses)
        let worker = startDoubler("h1", broker.addresses)
        let doubled = FanOut<Double2>([("k", 8)], in: first, at: place)
        try await run(doubled)
        XCTAssertEqual(try doubled.results["k"]?.get(), 16)
        let life = first.loop.life
        await first.close()

        let second = try await open(name, broker.addresses)
        let (letEnd, begun) = (Gate(), expectation(description: "it has begun"))
        let echo = startWorker("h2", broker.addresses) { worker in
            worker.register(Echo.self, at: place) { text, _ in
                AsyncOperation {
                    begun.fulfill()
                    await letEnd.waitUntilOpen()
                    return text
                }
            }
        }
        let job = FanOut<Echo>([("k", "1000009")], in: second, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [begun], timeout: 300)
        // The first run's outcome comes again, like that of a worker that was disconnected.
        let connection = try await broker.connect()
        var late = MessageProperties()
        late.type = "done"
        late.messageID = "k"
        late.correlationID = PublicationID(life: life, number: 1).text
        late.headers = ["work": .string("double")]
        let stream = Layout.stream(of: Name(name))
        let copy = Published(key: stream, properties: late, body: ByteBuffer(string: "16"))
        try await connection.publish([copy, copy])
        try await waitUntil("they were counted") { second.duplicateOutcomes == 2 }
        letEnd.open()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(try job.results["k"]?.get(), "1000009")
        try await connection.close()
        try await worker.stop()
        try await echo.stop()
        try await second.close(removingJob: true)
    }

    func testTheLastAttemptCountsInLaterLivesAndAFailureIsTriedAgain() async throws {
        let broker = try await broker
        let name = jobName("retried")
        let first = try await open(name, broker.addresses)
        let (fails, runs) = (Counter(), RunLog())
        let worker = startWorker("h1", broker.addresses) { worker in
            worker.register(Double2.self, at: place) { number, context in
                ClosureOperation {
                    runs.ran(context.key)
                    // The first ten runs fail, and the last task always fails.
                    if fails.next() <= 10 || context.key == "k9" {
                        throw Double2.Odd(number: number)
                    }
                    return number * 2
                }
            }
        }
        let inputs = (0..<10).map { ("k\($0)", $0) }
        let failed = FanOut<Double2>(inputs, in: first, at: place)
        try await run(failed)
        XCTAssertEqual(failed.failureTexts.count, 10)
        let retried = FanOut<Double2>(inputs, in: first, at: place)
        try await run(retried)
        XCTAssertEqual(retried.failureTexts.count, 1)
        await first.close()

        let second = try await open(name, broker.addresses)
        let again = FanOut<Double2>(inputs, in: second, at: place)
        try await run(again)
        XCTAssertEqual(try again.results["k4"]?.get(), 8)
        XCTAssertEqual(again.failureTexts.count, 1)
        XCTAssertEqual(second.counts.knownOutcomes, 9)
        XCTAssertEqual(second.counts.published, 1)
        XCTAssertEqual(runs.all["k9"], 3)
        XCTAssertEqual(runs.all["k4"], 2)
        try await worker.stop()
        try await second.close(removingJob: true)
    }

    func testOfManyLargeOutcomesAResumeHoldsFew() async throws {
        let broker = try await broker
        let name = jobName("large outcomes")
        let count = 150
        let first = try await open(name, broker.addresses)
        let worker = startWorker("h1", broker.addresses) { worker in
            worker.register(Echo.self, at: place) { text, _ in
                ClosureOperation { text + String(repeating: "x", count: 100_000) }
            }
        }
        let inputs = (0..<count).map { ("k\($0)", "\($0) ") }
        try await run(FanOut<Echo>(inputs, in: first, at: place, atATime: 20))
        await first.close()
        try await worker.stop()

        let second = try await open(name, broker.addresses)
        let kept = await second.loop.keptOutcomeBytes
        XCTAssertLessThanOrEqual(kept, 8 << 20)
        // The tasks are in another order than before, and there is no worker.
        let job = FanOut<Echo>(inputs.reversed(), in: second, at: place, atATime: 20)
        try await run(job)
        XCTAssertEqual(job.callbackCount, count)
        for (key, text) in inputs {
            let value = try job.results[key]?.get()
            XCTAssertEqual(value?.utf8.count, text.utf8.count + 100_000)
            XCTAssertEqual(value?.hasPrefix(text), true)
        }
        XCTAssertEqual(second.counts.knownOutcomes, count)
        XCTAssertEqual(second.counts.published, 0)
        try await second.close(removingJob: true)
    }

    func testRemovingWithoutALinkWaitsForItOrThrows() async throws {
        let broker = try await broker
        for comesBack in [true, false] {
            let proxy = try await proxy(to: broker)
            let patience = Duration.seconds(comesBack ? 60 : 2)
            let session = try await open(
                jobName("no link"),
                [proxy.address],
                options: .init(patience: patience)
            )
            proxy.letThrough(false)
            proxy.cut()
            let removing = Task { try await session.close(removingJob: true) }
            if comesBack { proxy.letThrough(true) }
            let end = await outcome(of: removing)
            let connection = try await broker.connect()
            let stream = try await connection.state(of: Layout.stream(of: Name(session.job)))
            switch end {
            case .success:
                XCTAssertTrue(comesBack)
                XCTAssertNil(stream)
            case .failure(let error):
                XCTAssertFalse(comesBack, "\(error)")
                XCTAssertEqual((error as? JobNotRemovedError)?.job, session.job)
                XCTAssertNotNil(stream)
            }
            try await connection.close()
        }
    }

    func testABrokerWithoutDiskSaysSoAndAJobIsNotRemovedThere() async throws {
        let broker = try await broker
        let lines = LogLines()
        let session = try await open(
            jobName("full disk"),
            broker.addresses,
            options: .init(patience: .seconds(4), logger: lines.logger)
        )
        try await broker.evaluate("rabbit_alarm:set_alarm({{resource_limit, disk, node()}, []}).")
        let job = FanOut<Double2>([("a", 1)], in: session, at: place)
        let running = Task { try await job.run() }
        try await waitUntil("it is said") {
            lines.all.contains { $0.contains("takes no messages") && $0.contains("disk") }
        }
        XCTAssertTrue(job.explainStall().contains("takes no messages"), job.explainStall())
        let end = await outcome(of: Task { try await session.close(removingJob: true) })
        try await broker.evaluate("rabbit_alarm:clear_alarm({resource_limit, disk, node()}).")
        XCTAssertThrowsError(try end.get()) { error in
            XCTAssertTrue("\(error)".contains("takes no messages"), "\(error)")
        }
        _ = await outcome(of: running)
        let next = try await open(session.job, broker.addresses)
        try await next.close(removingJob: true)
    }
}
