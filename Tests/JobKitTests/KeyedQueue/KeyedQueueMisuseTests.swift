import Foundation
import JobKit
import Testing

#if os(macOS) || os(Linux)
// X1, Q6: misuse traps with a message that names the problem.
@Suite struct KeyedQueueMisuseTests {
    private func expectTrap(_ message: String, _ result: ExitTest.Result?) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(message), "\(text)")
    }

    @Test func limitPerKeyBelowOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = KeyedQueue<Int>(name: "uploads", limitPerKey: 0)
        }
        expectTrap("limitPerKey of uploads is 0; it must be at least 1", result)
    }

    @Test func limitBelowOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = KeyedQueue<Int>(name: "uploads", maxConcurrentOperationCount: -1)
            queue.maxConcurrentOperationCount = 0
        }
        expectTrap("maxConcurrentOperationCount of uploads is 0; it must be at least 1", result)
    }

    @Test func operationAddedTwiceTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = KeyedQueue<Int>(name: "uploads")
            queue.isSuspended = true
            let operation = ConcurrentOperation()
            operation.name = "upload"
            queue.addOperation(operation, keys: [1])
            queue.addOperation(operation, keys: [2], duplicates: .keep)
        }
        expectTrap("upload was added to uploads, but it is in a queue already", result)
    }

    @Test func operationThatWaitsHereIsRefusedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            let queue = KeyedQueue<Int>()
            queue.isSuspended = true
            let operation = BlockOperation {}
            queue.addOperation(operation)
            TaskQueue().addOperation(operation)
        }
    }

    @Test func startedOperationTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = ConcurrentOperation()
            operation.start()
            KeyedQueue<Int>().addOperation(operation, keys: [1])
        }
        expectTrap("was added to KeyedQueue, but it has been started", result)
    }
}
#endif
