import JobKit
import JobKitTesting
import XCTest

@testable import RemoteJobs

final class CancelTests: LiveTestCase {
    func testACancelledJobEndsWhenItsWorkersHaveStoppedAndRunsNothingMore() async throws {
        let broker = try await broker
        let session = try await open(jobName("cancel"), broker.addresses)
        let (begun, stopped) = (RunLog(), RunLog())
        let (firstFour, letEnd) = (expectation(description: "four run"), Gate())
        firstFour.expectedFulfillmentCount = 4
        let told = expectation(description: "four are told to stop")
        told.expectedFulfillmentCount = 4
        for name in ["h1", "h2"] {
            // Both workers hold tasks that they do not run yet.
            _ = startWorker(name, broker.addresses, width: 2, prefetch: 30) { worker in
                worker.register(Double2.self, at: place) { _, context in
                    HeldOperation(
                        began: {
                            begun.ran(context.key)
                            firstFour.fulfill()
                        },
                        isToStop: { told.fulfill() },
                        until: letEnd,
                        stopped: { stopped.ran(context.key) }
                    )
                }
            }
        }
        let inputs = (0..<500).map { ("k\($0)", $0) }
        let job = FanOut<Double2>(inputs, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [firstFour], timeout: 300)
        job.cancel()
        await fulfillment(of: [told], timeout: 300)
        // Queued tasks end while four are still running. The job waits for those.
        try await waitUntil("four are left") { job.trackedTasks.count == 4 }
        XCTAssertFalse(job.isFinished)
        XCTAssertEqual(stopped.total, 0)
        letEnd.open()
        let end = await outcome(of: running)
        XCTAssertThrowsError(try end.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertTrue(job.trackedTasks.isEmpty)
        XCTAssertEqual(job.callbackCount, 0)
        // No cancelled task was started, and all started tasks have stopped.
        XCTAssertEqual(begun.total, 4)
        XCTAssertEqual(stopped.all, begun.all)
        try await session.close(removingJob: true)
        let connection = try await broker.connect()
        for queue in [queue(of: session.job), suspects] {
            let left = try await connection.state(of: queue)?.messageCount
            XCTAssertEqual(left ?? 0, 0, queue)
        }
        try await connection.close()
    }

    func testCancellingOneTaskLeavesTheOthers() async throws {
        let broker = try await broker
        let session = try await open(jobName("cancel one"), broker.addresses)
        let (begun, letGo) = (RunLog(), Gate())
        let oneRuns = expectation(description: "one runs")
        oneRuns.assertForOverFulfill = false
        let worker = startWorker("h1", broker.addresses, width: 1, prefetch: 5) { worker in
            worker.register(Double2.self, at: place) { number, context in
                AsyncOperation {
                    begun.ran(context.key)
                    oneRuns.fulfill()
                    await letGo.waitUntilOpen()
                    return number
                }
            }
        }
        let job = FanOut<Double2>((0..<20).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        await fulfillment(of: [oneRuns], timeout: 300)
        let first = try XCTUnwrap(begun.all.keys.first)
        // One task that the worker holds or will hold, and one that waits at the broker.
        let others = job.tasks.filter { $0.key != first }
        let chosen = [others[0], others[18]]
        for task in chosen { task.cancel() }
        for task in chosen { await within(300, "\(task.key) ends") { await task.waitForFinish() } }
        letGo.open()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(job.callbackCount, 20)
        XCTAssertEqual(begun.total, 18)
        for task in chosen { XCTAssertNil(begun.all[task.key]) }
        try await worker.stop()
        try await session.close(removingJob: true)
    }

    func testWithoutAnyWorkerACancelledJobEndsAtOnceAndRunsWhenResumed() async throws {
        let broker = try await broker
        let name = jobName("nobody")
        let session = try await open(name, broker.addresses)
        let inputs = (0..<100).map { ("k\($0)", $0) }
        let job = FanOut<Double2>(inputs, in: session, at: place)
        let running = Task { try await job.run() }
        let connection = try await broker.connect()
        try await waitUntil("all are queued") {
            try await connection.state(of: queue(of: session.job))?.messageCount == 100
        }
        job.cancel()
        let end = await outcome(of: running)
        XCTAssertThrowsError(try end.get()) { XCTAssertTrue($0 is CancellationError) }
        await session.close()

        // Withdrawn tasks are requested again, and their old copies do not run.
        let runs = RunLog()
        let worker = startDoubler("h1", broker.addresses, noting: runs)
        let second = try await open(name, broker.addresses)
        let again = FanOut<Double2>(inputs, in: second, at: place)
        try await run(again)
        XCTAssertEqual(again.callbackCount, 100)
        XCTAssertEqual(runs.all.count, 100)
        XCTAssertEqual(runs.total, 100)
        try await second.close(removingJob: true)
        try await worker.stop()
        let left = try await connection.state(of: queue(of: session.job))
        XCTAssertNil(left)
        try await connection.close()
    }

    func testRemovingACancelledJobWithoutWorkersEmptiesItsQueue() async throws {
        let broker = try await broker
        let session = try await open(jobName("leftover"), broker.addresses)
        let job = FanOut<Double2>((0..<10).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        let connection = try await broker.connect()
        try await waitUntil("all are queued") {
            try await connection.state(of: queue(of: session.job))?.messageCount == 10
        }
        job.cancel()
        _ = await outcome(of: running)
        try await session.close(removingJob: true)
        let left = try await connection.state(of: queue(of: session.job))
        XCTAssertNil(left)
        try await connection.close()
    }
}

// Operation forces @unchecked. The stored properties are constant.
/// An operation that ends when its gate is opened, and not when it is cancelled.
private final class HeldOperation: ResultOperation<Int>, @unchecked Sendable {
    private let began, isToStop, stopped: @Sendable () -> Void
    private let gate: Gate

    init(
        began: @escaping @Sendable () -> Void,
        isToStop: @escaping @Sendable () -> Void,
        until gate: Gate,
        stopped: @escaping @Sendable () -> Void
    ) {
        self.began = began
        self.isToStop = isToStop
        self.gate = gate
        self.stopped = stopped
        super.init()
    }

    override func main() {
        began()
        Task {
            await gate.waitUntilOpen()
            stopped()
            finish(returning: 0)
        }
    }

    override func didCancel() { isToStop() }
}
