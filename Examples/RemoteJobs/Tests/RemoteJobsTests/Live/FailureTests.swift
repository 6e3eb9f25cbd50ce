import AMQP
import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

final class FailureTests: LiveTestCase {
    func testAPoisonTaskIsGivenUpAndTakesNoOtherWithIt() async throws {
        let broker = try await broker
        let log = RunLines()
        let job = jobName("poison")
        let fanOut = try startTrials(
            broker,
            job,
            ["--count", "300", "--poison", "17", "--remove"]
        )
        // A worker that dies is replaced, as a supervisor would do.
        let arguments = [
            "worker", "--broker", broker.url, "--log", log.path, "--place", place, "--width", "2",
            "--prefetch", "20",
        ]
        let replacing = Task {
            while !Task.isCancelled {
                let worker = try ProgramRun("benchmarks", arguments)
                await withTaskCancellationHandler {
                    await worker.ended(within: 300)
                } onCancel: {
                    worker.send(SIGKILL)
                }
            }
        }
        addTeardownBlock { replacing.cancel() }
        let end = try await fanOut.end()
        replacing.cancel()
        _ = await replacing.result
        XCTAssertTrue(end.output.contains("callbacks 300 failed 1 "), end.output)
        XCTAssertTrue(
            end.output.contains("t17: The task t17 was abandoned after 4 deliveries: "),
            end.output
        )
        XCTAssertEqual(log.runs["t17"], 4)
        XCTAssertEqual(log.runs.count, 300)
    }

    func testAKilledWorkersTasksRunElsewhere() async throws {
        let broker = try await broker
        let log = RunLines()
        let workers = try (0..<2).map { _ in try startTrialWorker(broker, noting: log) }
        let fanOut = try startTrials(
            broker,
            jobName("killed worker"),
            ["--count", "2000", "--milliseconds", "2", "--remove"]
        )
        await log.wait(for: 301)
        workers[0].send(SIGKILL)
        let end = try await fanOut.end()
        XCTAssertTrue(end.output.contains("callbacks 2000 failed 0"), end.output)
        XCTAssertEqual(log.runs.count, 2_000)
        // At most the tasks that the dead worker held at that moment ran twice.
        XCTAssertLessThanOrEqual(log.runs.values.reduce(0, +), 2_000 + 256)
        workers[1].send(SIGTERM)
        _ = try await workers[1].end()
    }

    func testALostAcknowledgementRunsNothingAgain() async throws {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        let session = try await open(jobName("lost ack"), broker.addresses)
        let runs = RunLog()
        // The link is cut at the tenth acknowledgement of a task, which does not reach the broker.
        let count = Counter()
        proxy.cut { frame in
            guard case .method(.basicAck(_, multiple: false), _) = frame else { return false }
            return count.next() == 10
        }
        let worker = startDoubler("h1", [proxy.address], noting: runs)
        let job = FanOut<Double2>((0..<200).map { ("k\($0)", $0) }, in: session, at: place)
        try await run(job)
        XCTAssertEqual(job.callbackCount, 200)
        XCTAssertEqual(runs.total, 200)
        XCTAssertEqual(runs.all.count, 200)
        let connection = try await broker.connect()
        for name in [queue(of: session.job), suspects] {
            try await waitUntil("\(name) is empty") {
                try await connection.state(of: name)?.messageCount == 0
            }
        }
        try await worker.stop()
        // Since the worker has gone, all messages that it left unacknowledged would be back.
        for name in [queue(of: session.job), suspects] {
            let left = try await connection.state(of: name)?.messageCount
            XCTAssertEqual(left, 0)
        }
        try await connection.close()
        try await session.close(removingJob: true)
    }

    func testACutWorkerGoesOnWithWhatItRuns() async throws {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        let session = try await open(jobName("cut worker"), broker.addresses)
        let (runs, release) = (RunLog(), Gate())
        let oneRuns = expectation(description: "one runs")
        oneRuns.assertForOverFulfill = false
        let worker = startWorker("h1", [proxy.address], width: 1) { worker in
            worker.register(Double2.self, at: place) { number, context in
                AsyncOperation {
                    runs.ran(context.key)
                    oneRuns.fulfill()
                    await release.waitUntilOpen()
                    return number
                }
            }
        }
        let job = FanOut<Double2>((0..<5).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [oneRuns], timeout: 300)
        proxy.cut()
        // Before the first task ends, the link is back, and all tasks are at the worker or
        // suspects.
        let connection = try await broker.connect()
        try await waitUntil("the worker is back") {
            try await connection.state(of: queue(of: session.job))?.consumerCount == 1
        }
        release.open()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(job.callbackCount, 5)
        XCTAssertEqual(runs.all.count, 5)
        XCTAssertEqual(runs.total, 5)
        try await connection.close()
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    func testACutControllerLosesNothing() async throws {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        let session = try await open(jobName("cut controller"), [proxy.address])
        let runs = RunLog()
        let worker = startDoubler("h1", broker.addresses, noting: runs)
        // The link is cut during publishing, so some tasks are in doubt.
        let count = Counter()
        proxy.cut { frame in
            guard case .method(.basicPublish, _) = frame else { return false }
            return count.next() == 400
        }
        let job = FanOut<Double2>((0..<1_000).map { ("k\($0)", $0) }, in: session, at: place)
        try await run(job)
        XCTAssertEqual(job.callbackCount, 1_000)
        XCTAssertEqual(runs.all.count, 1_000)
        // Tasks in doubt were published again, and their worker recognized them.
        XCTAssertEqual(runs.total, 1_000)
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    func testAControllerThatIsCutWhileItComesBackTriesOnceAtATime() async throws {
        let links = try await runOverLaterLink("cut twice", 600) { proxy, isSecond in
            proxy.cut(at: isSecond)
        }
        XCTAssertEqual(links, 3)
    }

    func testABrokerThatDoesNotAnswerThoughItsHeartBeatsIsTriedAnew() async throws {
        // On a busy machine, one more link may be needed.
        let links = try await runOverLaterLink("mute", pace: .init(longestTry: .seconds(4))) {
            proxy,
            isSecond in
            proxy.mute(at: isSecond)
        }
        XCTAssertGreaterThanOrEqual(links, 3)
    }

    func testABrokerThatStaysAwayFailsTheJob() async throws {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        let session = try await open(
            jobName("lost broker"),
            [proxy.address],
            options: .init(patience: .seconds(3))
        )
        let job = FanOut<Double2>([("a", 1)], in: session, at: place)
        let running = Task { try await job.run() }
        try await waitUntil("it is out") { session.counts.published == 1 }
        proxy.letThrough(false)
        proxy.cut()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertThrowsError(try job.results["a"]?.get()) { error in
            XCTAssertTrue("\(error)".contains("127.0.0.1:\(proxy.port)"), "\(error)")
            XCTAssertEqual((error as? BrokerLostError)?.reason.isEmpty, false)
            XCTAssertTrue(error is BrokerLostError)
        }
        await session.close()
    }

    func testAStoppedWorkerHoldsNothingUpAndRunsNothingOldWhenItGoesOn() async throws {
        let broker = try await broker
        let log = RunLines()
        let workers = try (0..<2).map { _ in try startTrialWorker(broker, noting: log) }
        let fanOut = try startTrials(
            broker,
            jobName("stopped worker"),
            ["--count", "1000", "--milliseconds", "10", "--remove"]
        )
        await log.wait(for: 101)
        workers[0].send(SIGSTOP)
        // The broker disconnects the worker after about twelve seconds without a heartbeat.
        let end = try await fanOut.end()
        XCTAssertTrue(end.output.contains("callbacks 1000 failed 0"), end.output)
        XCTAssertEqual(log.runs.count, 1_000)
        let before = log.lines.count
        workers[0].send(SIGCONT)
        for worker in workers {
            worker.send(SIGTERM)
            let end = try await worker.end()
            XCTAssertEqual(end.status, 0)
        }
        // The worker held many more tasks. It runs only those that it was about to run when it was
        // suspended.
        XCTAssertLessThanOrEqual(log.lines.count, before + 8)
    }

    func testARestartedBrokerLosesNothing() async throws {
        let node = try await BrokerNode(keepingFolder: true)
        let session = try await open(
            jobName("restart"),
            node.addresses,
            options: .init(inFlight: 500)
        )
        let (runs, letOn) = (RunLog(), Gate())
        let someRan = expectation(description: "some have run")
        someRan.expectedFulfillmentCount = 200
        someRan.assertForOverFulfill = false
        let worker = startWorker("h1", node.addresses) { worker in
            worker.register(Double2.self, at: place) { number, context in
                AsyncOperation {
                    runs.ran(context.key)
                    someRan.fulfill()
                    // Counted, because tasks do not arrive in order while the machine is busy.
                    if runs.total > 200 { await letOn.waitUntilOpen() }
                    return number
                }
            }
        }
        let job = FanOut<Double2>((0..<1_000).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [someRan], timeout: 300)
        await node.stop()
        XCTAssertEqual(node.listening, [])
        // The node has shut down cleanly. If it were killed, it might lose its streams.
        XCTAssertTrue(node.log.contains("Stopping message store"), "The node was killed")
        // Four tasks end while there is no broker.
        letOn.open()
        let again = try await BrokerNode(in: node.folder, at: node.port)
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(job.callbackCount, 1_000)
        XCTAssertEqual(job.failureTexts, [])
        XCTAssertEqual(runs.all.count, 1_000)
        XCTAssertEqual(runs.total, 1_000)
        try await worker.stop()
        try await session.close(removingJob: true)
        await again.stop()
        XCTAssertEqual(again.listening, [])
    }
}
