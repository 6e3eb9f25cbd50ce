import Foundation
import JobKit
import Testing

#if os(macOS) || os(Linux)
// Q8: misuse traps with a message that names the problem.
@Suite struct RateLimitedQueueMisuseTests {
    private func expectTrap(
        _ message: String,
        _ result: ExitTest.Result?
    ) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(message), "\(text)")
    }

    @Test func limitBelowOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = RateLimitedQueue(TaskQueue.shared, limit: 0, per: .seconds(1))
        }
        expectTrap("the limit of a RateLimitedQueue is 0; it must be at least 1", result)
    }

    @Test func negativeIntervalTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = RateLimitedQueue(TaskQueue.shared, limit: 1, per: .seconds(-1))
        }
        expectTrap("the interval of a RateLimitedQueue is -1", result)
    }

    @Test func operationAddedTwiceTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = RateLimitedQueue(TaskQueue.shared, limit: 1, per: .seconds(1_000))
            queue.addOperation(ConcurrentOperation())
            let operation = ConcurrentOperation()
            operation.name = "import"
            queue.addOperation(operation)
            queue.addOperation(operation)
        }
        expectTrap("import was added to a RateLimitedQueue, but it is in a queue", result)
    }

    @Test func plainOperationAddedTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            let queue = RateLimitedQueue(TaskQueue.shared, limit: 1, per: .seconds(1_000))
            queue.addOperation(ConcurrentOperation())
            let operation = BlockOperation {}
            queue.addOperation(operation)
            queue.addOperation(operation)
        }
    }

    @Test func plainOperationOfATaskQueueTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = TaskQueue()
            queue.isSuspended = true
            let operation = BlockOperation {}
            queue.addOperation(operation)
            RateLimitedQueue(queue, limit: 1, per: .seconds(1)).addOperation(operation)
        }
        expectTrap("but it is in a queue already", result)
    }

    @Test func startedOperationTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = ConcurrentOperation()
            operation.start()
            RateLimitedQueue(TaskQueue.shared, limit: 1, per: .seconds(1)).addOperation(operation)
        }
        expectTrap("was added to a RateLimitedQueue, but it has been started", result)
    }
}
#endif
