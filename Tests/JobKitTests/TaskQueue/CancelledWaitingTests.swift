import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Q7: a cancelled waiting operation finishes soon in every state of its queue.
final class CancelledWaitingTests: XCTestCase {
    private enum AddAction: CaseIterable { case suspended, full, behindABarrier }

    private typealias Making = @Sendable () -> Operation

    private static let makings: [Making] = [
        { ClosureOperation { XCTFail("main() was entered") } },
        { BlockOperation { XCTFail("the block was called") } },
        { ScriptedJob { _ in XCTFail("main() was entered") } },
    ]

    /// Returns a queue that starts nothing, and the operation that must finish to empty it.
    private func queue(_ action: AddAction) async -> (queue: TaskQueue, holder: HeldOperation) {
        let queue = TaskQueue(maxConcurrentOperationCount: action == .full ? 1 : 2)
        let holder = HeldOperation("holder", stopsWhenCancelled: false)
        queue.addOperation(holder)
        await wait(for: holder.began)
        switch action {
        case .suspended: queue.isSuspended = true
        case .full: break
        case .behindABarrier: queue.addBarrierBlock {}
        }
        return (queue, holder)
    }

    private func end(_ queue: TaskQueue, _ holder: HeldOperation) async {
        holder.finish()
        queue.isSuspended = false
        await bounded { await queue.waitForAllOperations() }
    }

    func testOperationThatIsCancelledThroughItsQueueFinishes() async {
        for action in AddAction.allCases {
            for making in Self.makings {
                for isReady in [true, false] {
                    let (queue, holder) = await queue(action)
                    let (waiting, never) = (making(), ClosureOperation { () })
                    if !isReady { waiting.addDependency(never) }
                    queue.addOperation(waiting)
                    queue.cancelAllOperations()
                    await eventually { waiting.isFinished }
                    XCTAssertTrue(waiting.isCancelled)
                    await end(queue, holder)
                    withExtendedLifetime(never) {}
                }
            }
        }
    }

    func testOperationThatIsCancelledAloneFinishes() async {
        for action in AddAction.allCases {
            for making in Self.makings {
                for isCancelledBefore in [true, false] {
                    let (queue, holder) = await queue(action)
                    let waiting = making()
                    if isCancelledBefore { waiting.cancel() }
                    queue.addOperation(waiting)
                    if !isCancelledBefore { waiting.cancel() }
                    await eventually { waiting.isFinished }
                    await end(queue, holder)
                }
            }
        }
    }

    /// J8: the job does not wait for tasks in a queue in which nothing can start.
    func testCancelledJobFinishesAlthoughItsTasksWait() async {
        for action in AddAction.allCases {
            for making in Self.makings {
                let (queue, holder) = await queue(action)
                let waiting = making()
                let tracked = Gate()
                let job = ScriptedJob { job in
                    job.trackAndQueue(waiting, on: queue)
                    tracked.open()
                }
                job.startJob()
                await wait(for: tracked)
                job.cancel()
                await bounded { await job.waitForFinish() }
                XCTAssertEqual(job.events, ["cancelled"])
                await eventually { waiting.isFinished }
                await end(queue, holder)
            }
        }
    }

    func testWhatDependsOnACancelledOperationContinues() async {
        let (full, holder) = await queue(.full)
        let cancelled = ClosureOperation { XCTFail("main() was entered") }
        let after = ClosureOperation { 1 }
        after.addDependency(cancelled)
        full.addOperation(cancelled)
        TaskQueue.shared.addOperation(after)
        cancelled.cancel()
        await bounded { await after.waitForFinish() }
        await end(full, holder)
    }
}
