import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class TaskWorkflowStressTests: XCTestCase {
    // W3: 2,000 workflows of racing tasks, some cancelled, each notify their delegate once.
    func testEachOfManyWorkflowsTellsItsDelegateOnce() async {
        let told = expectation(description: "told")
        told.expectedFulfillmentCount = 2_000
        told.assertForOverFulfill = true
        let delegates = (0..<2_000).map { _ in SampleDelegate { _ in told.fulfill() } }
        await runOnThreads(4) { thread in
            var random = WalkGenerator(seed: UInt64(thread))
            for number in stride(from: thread, to: 2_000, by: 4) {
                let workflow = TaskWorkflow(name: "Launch \(number)")
                workflow.delegate = delegates[number]
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let tasks = (0..<Int.random(in: 0...3, using: &random))
                        .map { index in
                            AsyncClosureTask(name: "\(index)") { _ in
                                if index == 1 { throw SampleError() }
                            }
                        }
                    let queue: LaunchTaskQueue =
                        Bool.random(using: &random) ? .mainQueue : .concurrentQueue
                    workflow.addBlockingTasks(
                        tasks + [ClosureTask(name: "z", queue: queue) { _ in }]
                    )
                }
                workflow.start()
                if Int.random(in: 0..<4, using: &random) == 0 { workflow.cancel() }
            }
        }
        await fulfillment(of: [told], timeout: 300)
        // Any second notification would be queued on the main thread by now.
        await MainActor.run {}
        let wrong = delegates.filter { $0.log.events != ["finished on the main thread"] }
        XCTAssertEqual(wrong.count, 0)
    }

    /// Gates are opened, tasks added and the workflow suspended from several threads at once.
    func testManyThreadsDriveOneWorkflow() async {
        for seed in 0..<50 {
            let log = EventLog()
            let told = expectation(description: "told")
            let delegate = SampleDelegate { _ in told.fulfill() }
            let workflow = TaskWorkflow(name: "Launch")
            workflow.delegate = delegate
            for number in 0..<20 {
                workflow.addGate("\(number % 4)")
                let queue: LaunchTaskQueue =
                    (number + seed) % 3 == 0 ? .mainQueue : .concurrentQueue
                workflow.addBlockingTasks([
                    ClosureTask(name: "\(number)", queue: queue) { _ in log.record("\(number)") }
                ])
            }
            workflow.addGate("hold")
            workflow.addTask(logging("last", EventLog()))
            await runOnThreads(6) { thread in
                switch thread {
                case 0: workflow.start()
                case 5:
                    for _ in 0..<20 {
                        workflow.isSuspended = true
                        workflow.isSuspended = false
                    }
                default: workflow.openGate("\(thread - 1)")
                }
            }
            workflow.openGate("hold")
            await fulfillment(of: [told], timeout: 300)
            XCTAssertEqual(log.events, (0..<20).map { "\($0)" })
        }
    }
}
