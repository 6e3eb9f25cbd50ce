import AMQP
import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

final class StreamTests: LiveTestCase {
    func testAStreamThatTakesTheMarkerAndDoesNotDeliverItIsReadAnew() async throws {
        let links = try await runOverLaterLink("deaf", pace: .init(streamTick: .seconds(1))) {
            proxy,
            isSecond in
            proxy.withhold(at: isSecond)
        }
        // On a busy machine, one more link may be needed.
        XCTAssertGreaterThanOrEqual(links, 3)
    }

    func testAStreamThatHasANewLeaderLosesNothing() async throws {
        let node = try await SecondBroker.shared.value.node
        var options = RemoteSession.Options()
        options.pace.streamTick = .seconds(1)
        let session = try await open(jobName("new leader"), node.addresses, options: options)
        let (runs, count, letOn, letAll) = (RunLog(), Counter(), Gate(), Gate())
        let allRun = expectation(description: "as many run as may")
        allRun.expectedFulfillmentCount = 20
        allRun.assertForOverFulfill = false
        let worker = startWorker("h1", node.addresses, width: 20) { worker in
            worker.register(Double2.self, at: place) { number, context in
                AsyncOperation {
                    let isEarly = count.next() <= 10
                    runs.ran(context.key)
                    allRun.fulfill()
                    await (isEarly ? letOn : letAll).waitUntilOpen()
                    return number
                }
            }
        }
        let job = FanOut<Double2>((0..<200).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [allRun], timeout: 300)
        // When the stream's leader dies, the outcomes of ten tasks are on their way to it.
        let leader = leader(of: session)
        try await node.evaluate("\(leader) sys:suspend(L).")
        letOn.open()
        try await waitUntil("ten have begun after them") { runs.total == 30 }
        try await node.evaluate("\(leader) exit(L, kill).")
        letAll.open()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(job.callbackCount, 200)
        XCTAssertEqual(runs.total, 200)
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    func testTasksAreGivenUpThoughTheirJobsStreamHasANewLeader() async throws {
        let node = try await SecondBroker.shared.value.node
        var options = RemoteSession.Options(deliveryLimit: 0)
        options.pace.streamTick = .seconds(1)
        let session = try await open(jobName("given up"), node.addresses, options: options)
        // A writer that serves both jobs has now written more messages than this job's stream
        // contains.
        let other = try await open(jobName("other"), node.addresses, options: options)
        try await giveUp(["a", "b", "c", "d"], in: other, node)
        try await giveUp(["a"], in: session, node)
        let leader = leader(of: session)
        try await giveUp(["b"], in: session, node) {
            try await node.evaluate("\(leader) sys:suspend(L).")
        } afterwards: {
            try await node.evaluate("\(leader) exit(L, kill).")
        }
        try await giveUp(["c"], in: session, node)
        try await session.close(removingJob: true)
        try await other.close(removingJob: true)
    }

    func testAChannelThatRefusesEachTaskIsLeft() async throws {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        proxy.refuse { frame in
            guard case .method(.basicPublish(Layout.tasks, _, _), _) = frame else { return false }
            return true
        }
        let session = try await open(jobName("refused"), [proxy.address])
        let worker = startDoubler("h1", broker.addresses)
        let job = FanOut<Double2>((0..<200).map { ("k\($0)", $0) }, in: session, at: place)
        try await run(job)
        XCTAssertEqual(job.callbackCount, 200)
        XCTAssertEqual(proxy.linkCount, 1)
        XCTAssertGreaterThan(session.counts.published, 200)
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    /// Lets a dying consumer take tasks, and a worker then report them as undeliverable.
    ///
    /// - Parameters:
    ///   - keys: The tasks' keys.
    ///   - session: The session of their job, with a delivery limit of 0.
    ///   - node: The broker.
    ///   - before: Called before the worker starts.
    ///   - afterwards: Called when it has taken the tasks.
    /// - Throws: The error of the job or its broker.
    private func giveUp(
        _ keys: [String],
        in session: RemoteSession,
        _ node: BrokerNode,
        before: () async throws -> Void = {},
        afterwards: () async throws -> Void = {}
    ) async throws {
        let job = FanOut<Double2>(keys.map { ($0, 1) }, in: session, at: place)
        let running = Task { try await job.run() }
        let queue = queue(of: session.job)
        let (connection, holder) = (try await node.connect(), try await node.connect())
        func waitFor(_ count: Int, in queue: String) async throws {
            try await waitUntil("\(count) in \(queue)") {
                try await connection.state(of: queue)?.messageCount == count
            }
        }
        try await waitFor(keys.count, in: queue)
        let areHeld = expectation(description: "they are held")
        areHeld.expectedFulfillmentCount = keys.count
        _ = try await holder.onChannel { channel in
            channel.consume(queue, prefetch: keys.count) { _ in areHeld.fulfill() }
        }
        await fulfillment(of: [areHeld], timeout: 300)
        try await holder.close()
        try await waitFor(keys.count, in: queue)
        try await before()
        let worker = startDoubler("h1", node.addresses)
        try await waitFor(0, in: queue)
        try await waitFor(0, in: suspects)
        try await afterwards()
        let end = await outcome(of: running)
        try end.get()
        for key in keys {
            XCTAssertThrowsError(try job.results[key]?.get()) { error in
                XCTAssertEqual((error as? UndeliverableError)?.deliveries, 1)
            }
        }
        try await worker.stop()
        try await connection.close()
    }

    /// An Erlang expression that sets L to the process that leads a job's stream.
    private func leader(of session: RemoteSession) -> String {
        let stream = Layout.stream(of: Name(session.job))
        let name = "rabbit_misc:r(<<\"/\">>, queue, <<\"\(stream)\">>)"
        return "L = amqqueue:get_pid(element(2, rabbit_amqqueue:lookup(\(name)))),"
    }
}
