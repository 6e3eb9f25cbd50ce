import AMQP
import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

final class StreamTests: LiveTestCase {
    func testAStreamThatTakesTheMarkerAndDoesNotDeliverItIsReadAnew() async throws {
        try await runOverThirdLink("deaf") { proxy, isSecond in proxy.withhold(at: isSecond) }
    }

    func testAStreamThatHasANewLeaderLosesNothing() async throws {
        let node = try await BrokerNode()
        let session = try await open(jobName("new leader"), node.addresses)
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
                    await (isEarly ? letOn : letAll).opened()
                    return number
                }
            }
        }
        let job = FanOut<Double2>((0..<200).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [allRun], timeout: 300)
        // The outcomes of ten are on their way to the stream's leader when it dies.
        let name = "rabbit_misc:r(<<\"/\">>, queue, <<\"\(Layout.stream(of: session.job))\">>)"
        let leader = "L = amqqueue:get_pid(element(2, rabbit_amqqueue:lookup(\(name)))),"
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
        await session.close(removingJob: true)
        await node.stop()
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
        await session.close(removingJob: true)
    }
}
