import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

/// The thread that ends one `AsyncOperation` starts the next one of a limited queue.
final class AsyncChainTests: XCTestCase {
    private enum Local {
        @TaskLocal static var number: Int?
    }

    func testAsyncOperationsRunOneAtATimeInOrder() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let log = EventLog()
        let operations = (0..<1_000)
            .map { number in
                AsyncOperation {
                    log.record("\(number) begins")
                    await Task.yield()
                    log.record("\(number) ends")
                }
            }
        queue.isSuspended = true
        queue.addOperations(operations)
        queue.isSuspended = false
        await bounded { await queue.waitForAllOperations() }
        XCTAssertEqual(log.events, (0..<1_000).flatMap { ["\($0) begins", "\($0) ends"] })
    }

    // The thread that ends the first one starts the others.
    func testChainOfShortOperationsDoesNotDeepenTheStack() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let (release, log) = (Gate(), EventLog())
        let first = AsyncOperation { await release.waitUntilOpen() }
        let others = (0..<20_000).map { number in AsyncOperation { log.record("\(number)") } }
        queue.addOperations([first] + others)
        release.open()
        await bounded { await queue.waitForAllOperations() }
        XCTAssertEqual(log.events, (0..<20_000).map(String.init))
    }

    // J12, Q1: the callbacks of a job never run beside a task with the permit of the job.
    func testCallbacksOfAJobRunBesideNoTaskWithItsPermit() async throws {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let running = Running()
        let job = JobController(queue: queue)
        for number in 0..<500 {
            let task = AsyncOperation {
                running.count.withLock { $0 += 1 }
                if number % 7 == 0 { await Task.yield() }
                running.count.withLock { $0 -= 1 }
            }
            job.trackAndQueue(task) { _ in
                XCTAssertEqual(running.count.withLock { $0 }, 0)
                giveWay(forMicroseconds: 1)
                XCTAssertEqual(running.count.withLock { $0 }, 0)
            }
        }
        try await job.run(on: queue)
    }

    // J16
    func testOperationInheritsNoTaskLocalOfTheOneBefore() async throws {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let release = Gate()
        let first = EventfulOperation()
        first.body = {
            await release.waitUntilOpen()
            Local.$number.withValue(1) { first.operation?.finish() }
        }
        let second = AsyncOperation { Local.number }
        queue.addOperations([first.make(), second])
        release.open()
        let number = try await second.value
        XCTAssertNil(number)
    }

    func testChainOfCancelledOperationsDoesNotDeepenTheStack() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let release = Gate()
        let first = AsyncOperation { await release.waitUntilOpen() }
        let others = (0..<20_000).map { _ in AsyncOperation { XCTFail("a cancelled body runs") } }
        queue.addOperations([first] + others)
        for operation in others { operation.cancel() }
        release.open()
        await bounded { await queue.waitForAllOperations() }
        XCTAssertTrue(others.allSatisfy(\.isFinished))
    }

    // A plain operation between them runs on a thread of the queue.
    func testOtherOperationsBetweenThemRunToo() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let log = EventLog()
        queue.isSuspended = true
        for number in 0..<100 {
            queue.addOperation(AsyncOperation { log.record("\(number)") })
            queue.addOperation { log.record("block \(number)") }
        }
        queue.isSuspended = false
        await bounded { await queue.waitForAllOperations() }
        XCTAssertEqual(log.events, (0..<100).flatMap { ["\($0)", "block \($0)"] })
    }

    /// Counts the bodies that are running.
    private final class Running: Sendable {
        let count = Mutex(0)
    }

    /// An operation with a body that refers to the operation.
    private final class EventfulOperation: @unchecked Sendable {
        var body: @Sendable () async -> Void = {}
        var operation: AsyncOperation<Void>?

        func make() -> AsyncOperation<Void> {
            let made = AsyncOperation { [self] in await body() }
            operation = made
            return made
        }
    }
}
