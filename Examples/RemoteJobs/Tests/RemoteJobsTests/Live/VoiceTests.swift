import JobKit
import XCTest

@testable import RemoteJobs

/// Tests that each wait is logged within two seconds.
final class VoiceTests: LiveTestCase {
    func testAWorkThatNoWorkerServesIsNamedAndThenServed() async throws {
        let broker = try await broker
        let lines = LogLines()
        let session = try await open(
            jobName("unserved"),
            broker.addresses,
            options: .init(logger: lines.logger)
        )
        let job = FanOut<Double2>([("a", 1), ("b", 2)], in: session, at: place)
        let running = Task { try await job.run() }
        try await waitUntil("it is said") {
            lines.all.contains { $0.contains("no worker serves double@") }
        }
        XCTAssertTrue(job.explainStall().contains("no worker serves double@"), job.explainStall())
        let worker = startDoubler("h1", broker.addresses)
        let end = await outcome(of: running)
        try end.get()
        try await waitUntil("that it is over is said") {
            lines.all.contains { $0.hasPrefix("over after") }
        }
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    func testCommandsWithoutABrokerSayWhereTheyLookForItAndForHowLong() async throws {
        let port = try BrokerNode.freePorts()
        let url = "amqp://guest:secret@127.0.0.1:\(port)"
        let programs = [
            try start("duplicates-worker", ["--broker", url, "--host", "h", "--folder", "/tmp"]),
            try start(
                "find-duplicates-on-hosts",
                ["--broker", url, "--job", "j", "--hosts", "h", "--no-progress"]
            ),
        ]
        for program in programs {
            try await waitUntil("it is said") {
                program.messages.contains("no broker at 127.0.0.1:\(port)")
            }
            let words = program.messages
            XCTAssertTrue(words.contains("30 s"), words)
            XCTAssertFalse(words.contains("secret"), words)
            XCTAssertEqual(words.split(separator: "\n").count, 1, words)
            program.send(SIGKILL)
        }
    }

    func testAWorkerNamesConsumerTimeoutAtItsStartAndNotAgain() async throws {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        let lines = LogLines()
        let worker = RemoteWorker(
            name: "h1",
            brokers: [[proxy.address]],
            width: 1,
            longestTask: .seconds(7_200),
            logger: lines.logger
        )
        worker.register(Double2.self, at: place) { number, _ in ClosureOperation { number * 2 } }
        let running = Task { try await worker.run() }
        addTeardownBlock { running.cancel() }
        try await waitUntil("it is said") {
            lines.all.contains { $0.contains("consumer_timeout") && $0.contains("7200 s") }
        }
        proxy.cut()
        let session = try await open(jobName("after the cut"), broker.addresses)
        let job = FanOut<Double2>([("a", 1)], in: session, at: place)
        try await run(job)
        XCTAssertEqual(lines.all.filter { $0.contains("consumer_timeout") }.count, 1)
        running.cancel()
        try await running.value
        try await session.close(removingJob: true)
    }

    func testAWorkerThatKnowsHowLongItsTasksRunWarnsOnlyAboveTheDefault() {
        let (unknown, short, long) = (Duration?.none, Duration.seconds(60), Duration.seconds(1_800))
        XCTAssertFalse(ConsumerTimeout.isWarning(unknown))
        XCTAssertFalse(ConsumerTimeout.isWarning(short))
        XCTAssertTrue(ConsumerTimeout.isWarning(long))
        for time in [unknown, short, long] {
            let words = ConsumerTimeout.words(time, at: "b:5672")
            XCTAssertTrue(words.contains("consumer_timeout of the broker at b:5672"), words)
            XCTAssertTrue(words.contains("30 minutes"), words)
        }
    }

    func testATaskThatTakesLongerThanTheBrokerAllowsNamesTheSetting() {
        let outcome = TaskOutcome<Int>.undeliverable(deliveries: 4, reason: "each died")
        guard case .undeliverable(4, let reason) = outcome.explained(by: "406 timed out") else {
            return XCTFail("\(outcome)")
        }
        XCTAssertTrue(reason.contains("consumer_timeout"), reason)
        XCTAssertEqual(TaskOutcome<Int>.done(1).explained(by: "406"), .done(1))
    }
}
