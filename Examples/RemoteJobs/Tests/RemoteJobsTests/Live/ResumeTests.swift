import JobKit
import XCTest

@testable import RemoteJobs

final class ResumeTests: LiveTestCase {
    func testAKilledControllerGoesOnWhereItWas() async throws {
        let broker = try await broker
        let (log, job, count) = (RunLines(), jobName("killed"), 1_500)
        let arguments = ["--count", "\(count)", "--milliseconds", "5", "--remove"]
        let first = try startTrials(broker, job, arguments)
        let connection = try await broker.connect()
        let trials = Layout.tasks(Layout.route("trial", at: Name(place)), of: Name(job))
        try await waitUntil("all are queued") {
            try await connection.state(of: trials)?.messageCount == count
        }
        let worker = try startTrialWorker(broker, noting: log, ["--width", "4"])
        await log.wait(for: count / 3 + 1)
        first.send(SIGKILL)
        _ = try await first.end()
        let second = try await startTrials(broker, job, arguments).end()
        XCTAssertTrue(second.output.contains("callbacks \(count) failed 0"), second.output)
        XCTAssertTrue(second.output.contains("end succeeded"), second.output)
        // All tasks were published before the kill. Therefore, the second run publishes nothing
        // again, and nothing runs twice.
        XCTAssertTrue(second.output.contains(" published 0 "), second.output)
        XCTAssertEqual(log.runs.count, count)
        XCTAssertEqual(log.runs.filter { $0.value != 1 }, [:])
        try await connection.close()
        worker.send(SIGTERM)
        let end = try await worker.end()
        XCTAssertEqual(end.status, 0)
    }

    func testKnownOutcomesComeWithoutAWorkerAndAChangedInputIsRefused() async throws {
        let broker = try await broker
        let name = jobName("known")
        let runs = RunLog()
        let first = try await open(name, broker.addresses)
        let worker = startWorker("h1", broker.addresses) { worker in
            worker.register(Double2.self, at: place) { number, context in
                ClosureOperation {
                    runs.ran(context.key)
                    guard number % 2 == 0 else { throw Double2.Odd(number: number) }
                    return number * 2
                }
            }
        }
        let inputs = (0..<20).map { ("k\($0)", $0) }
        try await run(FanOut<Double2>(inputs, in: first, at: place))
        await first.close()
        try await worker.stop()

        let remembering = RemoteSession.Options(remembersFailures: true)
        let second = try await open(name, broker.addresses, options: remembering)
        let again = FanOut<Double2>(inputs, in: second, at: place)
        try await run(again)
        XCTAssertEqual(again.callbackCount, 20)
        XCTAssertEqual(try again.results["k4"]?.get(), 8)
        XCTAssertThrowsError(try again.results["k5"]?.get()) { error in
            XCTAssertEqual((error as? RemoteFailureError)?.message, "5 is odd")
        }
        XCTAssertEqual(second.counts.knownOutcomes, 20)
        XCTAssertEqual(second.counts.published, 0)
        XCTAssertEqual(runs.total, 20)
        await second.close()

        let third = try await open(name, broker.addresses)
        let changed = FanOut<Double2>([("k4", 5)], in: third, at: place)
        try await run(changed)
        XCTAssertThrowsError(try changed.results["k4"]?.get()) { error in
            XCTAssertEqual(error as? InputChangedError, InputChangedError(key: "k4"))
        }
        try await third.close(removingJob: true)
    }

    func testARemovedJobRunsAnew() async throws {
        let broker = try await broker
        let name = jobName("removed.")
        let runs = RunLog()
        let worker = startDoubler("h1", broker.addresses, noting: runs)
        for _ in 0..<2 {
            let session = try await open(name, broker.addresses)
            try await run(FanOut<Double2>([("a", 1), ("b", 2)], in: session, at: place))
            try await session.close(removingJob: true)
        }
        XCTAssertEqual(runs.all, ["a": 2, "b": 2])
        try await worker.stop()
        let connection = try await broker.connect()
        let stream = try await connection.state(of: Layout.stream(of: Name(name)))
        XCTAssertNil(stream)
        let lock = try await connection.state(of: Layout.lock(of: Name(name)))
        XCTAssertNil(lock)
        let tasks = try await connection.state(of: queue(of: name))
        XCTAssertNil(tasks)
        try await connection.close()
    }

    /// A worker that keeps running writes into many successive streams of one name.
    func testAJobThatIsRemovedAndBegunAgainAtOnceRunsAsOften() async throws {
        let broker = try await broker
        let name = jobName("again")
        let runs = RunLog()
        let worker = startDoubler("h1", broker.addresses, noting: runs)
        for _ in 0..<8 {
            let session = try await open(name, broker.addresses)
            let job = FanOut<Double2>((0..<500).map { ("k\($0)", $0) }, in: session, at: place)
            try await run(job)
            XCTAssertEqual(job.callbackCount, 500)
            try await session.close(removingJob: true)
        }
        XCTAssertEqual(runs.total, 8 * 500)
        try await worker.stop()
    }

    /// A session that ends with nothing under way deletes the job's queues but not its stream.
    func testAJobThatIsClosedAndGoesOnAtOnceRunsAsOften() async throws {
        let broker = try await broker
        let name = jobName("onward")
        let runs = RunLog()
        let worker = startDoubler("h1", broker.addresses, noting: runs)
        for round in 0..<8 {
            let session = try await open(name, broker.addresses)
            let keys = (0..<100).map { ("k\(round).\($0)", $0) }
            let job = FanOut<Double2>(keys, in: session, at: place)
            try await run(job)
            XCTAssertEqual(job.callbackCount, 100)
            await session.close()
        }
        XCTAssertEqual(runs.total, 8 * 100)
        try await worker.stop()
    }

    func testRemovingAJobTakesWhatAnEarlierLifeLeftAndNothingOfOthers() async throws {
        let broker = try await broker
        let (name, other) = (jobName("left"), jobName("other"))
        let connection = try await broker.connect()
        let otherSession = try await open(other, broker.addresses)
        let others = FanOut<Double2>((0..<10).map { ("k\($0)", $0) }, in: otherSession, at: place)
        let running = Task { try await others.run() }
        let first = try await open(name, broker.addresses)
        let job = FanOut<Double2>((0..<10).map { ("k\($0)", $0) }, in: first, at: place)
        let leaving = Task { try? await job.run() }
        try await waitUntil("both are queued") {
            let own = try await connection.state(of: queue(of: name))?.messageCount
            let others = try await connection.state(of: queue(of: other))?.messageCount
            return own == 10 && others == 10
        }
        await first.close()
        await within(300, "the job has ended without its session") { _ = await leaving.value }

        // The second run requests no task, so it does not know the place.
        let second = try await open(name, broker.addresses)
        try await second.close(removingJob: true)
        let own = try await connection.state(of: queue(of: name))
        XCTAssertNil(own)
        let left = try await connection.state(of: queue(of: other))?.messageCount
        XCTAssertEqual(left, 10)
        let suspected = try await connection.state(of: suspects)?.messageCount
        XCTAssertEqual(suspected, 0)

        // A returned task counts as never taken.
        let worker = startWorker("h1", broker.addresses) { worker in
            worker.register(Double2.self, at: place) { _, context in
                ClosureOperation { context.attempt }
            }
        }
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(others.callbackCount, 10)
        XCTAssertEqual(Set(others.results.values.compactMap { try? $0.get() }), [1])
        try await worker.stop()
        try await connection.close()
        try await otherSession.close(removingJob: true)
    }

    func testATaskThatAWorkerHeldWhenItsJobWasRemovedIsNotRunWhenTheWorkerDies() async throws {
        let broker = try await broker
        let name = jobName("held")
        let queue = queue(of: name)
        let first = try await open(name, broker.addresses)
        let job = FanOut<Double2>([("a", 1)], in: first, at: place)
        let leaving = Task { try? await job.run() }
        let connection = try await broker.connect()
        try await waitUntil("it is queued") {
            try await connection.state(of: queue)?.messageCount == 1
        }
        await first.close()
        await within(300, "the job has ended without its session") { _ = await leaving.value }

        // A consumer holds the task while a second run, which requests nothing, removes the job.
        let holder = try await broker.connect()
        let isHeld = expectation(description: "it is held")
        _ = try await holder.onChannel { channel in
            channel.consume(queue, prefetch: 1) { _ in isHeld.fulfill() }
        }
        await fulfillment(of: [isHeld], timeout: 300)
        let second = try await open(name, broker.addresses)
        try await second.close(removingJob: true)
        try await holder.close()

        let runs = RunLog()
        let worker = startDoubler("h1", broker.addresses, noting: runs)
        // A job with the same ID runs its own task and not the one that came back.
        let third = try await open(name, broker.addresses)
        try await run(FanOut<Double2>([("b", 2)], in: third, at: place))
        try await worker.stop()
        XCTAssertEqual(runs.all, ["b": 1])
        try await third.close(removingJob: true)
        let left = try await connection.state(of: queue)
        XCTAssertNil(left)
        let suspected = try await connection.state(of: suspects)?.messageCount
        XCTAssertEqual(suspected, 0)
        try await connection.close()
    }

    func testASecondControllerOfALivingJobIsRefused() async throws {
        let broker = try await broker
        let name = jobName("one at a time")
        let first = try await open(name, broker.addresses)
        do {
            var options = RemoteSession.Options()
            options.pace.lockPatience = .seconds(2)
            try await RemoteSession(job: name, brokers: broker.addresses, options: options).open()
            XCTFail("the second was let in")
        } catch {
            XCTAssertEqual((error as? JobRunningError)?.job, name)
        }
        try await first.close(removingJob: true)
        let third = try await open(name, broker.addresses)
        try await third.close(removingJob: true)
    }

    func testAWrongPasswordIsRefusedAtOnce() async throws {
        let broker = try await broker
        let wrong = BrokerAddress(
            host: "127.0.0.1",
            port: broker.port,
            user: "guest",
            password: "secret"
        )
        do {
            try await RemoteSession(job: "x", brokers: [wrong]).open()
            XCTFail("let in")
        } catch {
            let message = String(describing: error)
            XCTAssertTrue(message.contains("127.0.0.1:\(broker.port)"), message)
            XCTAssertFalse(message.contains("secret"), message)
            XCTAssertTrue(error is BrokerRefusedError)
        }
    }

    func testAnEmptyOrTooLongJobIsRefused() async throws {
        let broker = try await broker
        for job in ["", String(repeating: "x", count: 101)] {
            do {
                try await RemoteSession(job: job, brokers: broker.addresses).open()
                XCTFail("let in")
            } catch {
                XCTAssertEqual((error as? InvalidNameError)?.name, job)
            }
        }
    }
}
