import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class TaskQueueStressTests: XCTestCase {
    /// Q4, Q7: threads add, cancel, limit and suspend at random, and each operation ends once.
    func testSeededWalksFromManyThreads() async {
        for seed in UInt64(0)..<12 {
            let queues = [TaskQueue(maxConcurrentOperationCount: 2), TaskQueue()]
            let added = Guarded<[Operation]>([])
            await runOnThreads(4) { thread in
                var generator = WalkGenerator(seed: seed * 100 + UInt64(thread))
                var recent: [Operation] = []
                for _ in 0..<400 {
                    let queue = queues[Int.random(in: 0..<2, using: &generator)]
                    switch Int.random(in: 0..<40, using: &generator) {
                    case 0: queue.isSuspended = Bool.random(using: &generator)
                    case 1:
                        queue.maxConcurrentOperationCount = Int.random(in: 1...4, using: &generator)
                    case 2 where Int.random(in: 0..<8, using: &generator) == 0:
                        queue.cancelAllOperations()
                    case 3: recent.randomElement(using: &generator)?.cancel()
                    case 4: recent.randomElement(using: &generator)?.queuePriority = .high
                    case 5: queue.addBarrierBlock {}
                    default:
                        let operation = Self.operation(queue, &generator)
                        for dependency in recent where Bool.random(using: &generator) {
                            operation.addDependency(dependency)
                        }
                        added.withLock { $0.append(operation) }
                        queue.addOperation(operation)
                        recent.append(operation)
                        if recent.count > 8 { recent.removeFirst() }
                    }
                }
            }
            for queue in queues { queue.isSuspended = false }
            for queue in queues { await drain(queue) }
            guard queues.allSatisfy({ $0.operationCount == 0 }) else {
                return XCTFail("operations are left with seed \(seed)")
            }
            XCTAssertTrue(added.withLock { $0.allSatisfy(\.isFinished) }, "seed \(seed)")
        }
    }

    private static func operation(
        _ queue: TaskQueue,
        _ generator: inout WalkGenerator
    ) -> Operation {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: BlockOperation {}
        case 1:
            ScriptedJob(queue: queue) { job in
                for _ in 0..<3 { job.trackAndQueue(ConcurrentOperation()) }
            }
        case 2:
            ScriptedOperation { operation in DispatchQueue.global().async { operation.finish() } }
        default: ConcurrentOperation()
        }
    }

    /// A wake-up must never be lost: a thread adds one operation at a time and waits for it.
    func testEveryOperationIsStartedFromAnIdleQueue() async {
        let queue = TaskQueue(maxConcurrentOperationCount: 2)
        await runOnThreads(3) { thread in
            for number in 0..<3_000 {
                let ended = DispatchSemaphore(value: 0)
                queue.addOperation { ended.signal() }
                // The pause before the next addition lets the workers search, stop and leave.
                if (number + thread) % 7 == 0 { sched_yield() }
                ended.wait()
            }
        }
        await drain(queue)
    }
}
