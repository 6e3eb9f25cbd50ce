import Foundation
import JobKit
import Testing

// Exit tests start a process, which only these platforms support.
#if os(macOS) || os(Linux)
@Suite struct TaskQueueMisuseTests {
    private func expect(
        _ result: ExitTest.Result?,
        toSay words: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        for word in words {
            #expect(message.contains(word), sourceLocation: sourceLocation)
        }
    }

    @Test func limitBelowOneTraps() async {  // Q1
        let atStart = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = TaskQueue(name: "uploads", maxConcurrentOperationCount: 0)
        }
        expect(atStart, toSay: ["uploads", "at least 1"])
        let later = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            TaskQueue(name: "downloads").maxConcurrentOperationCount = -2
        }
        expect(later, toSay: ["downloads", "-2"])
    }

    @Test func addingTwiceTraps() async {  // Q6
        let concurrent = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (first, second) = (TaskQueue(name: "first"), TaskQueue(name: "second"))
            first.isSuspended = true
            let operation = ConcurrentOperation()
            operation.name = "upload"
            first.addOperation(operation)
            second.addOperation(operation)
        }
        expect(concurrent, toSay: ["upload", "second", "is in a TaskQueue"])
        let plain = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = TaskQueue(name: "first")
            queue.isSuspended = true
            let operation = BlockOperation {}
            operation.name = "upload"
            queue.addOperation(operation)
            queue.addOperation(operation)
        }
        expect(plain, toSay: ["upload", "first", "is in a TaskQueue"])
    }

    @Test func addingAStartedOperationTraps() async {  // Q6
        let executing = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class Endless: ConcurrentOperation, @unchecked Sendable {
                override func main() {}
            }
            let operation = Endless()
            operation.start()
            TaskQueue().addOperation(operation)
        }
        expect(executing, toSay: ["Endless", "has been started"])
        let finished = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = ConcurrentOperation()
            operation.name = "upload"
            operation.start()
            TaskQueue().addOperation(operation)
        }
        expect(finished, toSay: ["upload", "has been started"])
        let plain = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let operation = BlockOperation {}
            operation.name = "import"
            operation.start()
            TaskQueue().addOperation(operation)
        }
        expect(plain, toSay: ["import", "has been started"])
    }
}
#endif
