import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// A user's object may call JobKit in its `deinit`, because no lock is held then.
final class ReleaseWithoutLockTests: XCTestCase {
    private final class TokenObserver: JobObserver {
        private let token: ReleaseToken

        init(_ token: ReleaseToken) { self.token = token }

        func job(_ job: JobController, didRecord event: JobEvent) {}
    }

    private func job(tracking task: Operation) -> ScriptedJob {
        let job = ScriptedJob { $0.track(task, cancellation: .leaveRunning) }
        job.start()
        return job
    }

    /// The task keeps the records of jobs that have left it, until half of its jobs have left.
    func testObserverOfAJobThatLeftATaskMayAskTheTask() async {
        let (task, asked) = (HeldOperation("task"), Gate())
        task.start()
        let stays = job(tracking: task)
        var leaves: ScriptedJob? = job(tracking: task)
        let others = (0..<2).map { _ in job(tracking: task) }
        leaves?
            .addObserver(
                TokenObserver(
                    ReleaseToken {
                        _ = task.dependencies
                        asked.open()
                    }
                )
            )
        leaves?.finish()
        await leaves?.waitForFinish()
        weak let left = leaves
        leaves = nil
        await eventually { left == nil }
        XCTAssertFalse(asked.isOpen)
        await runOnThreads(1) { _ in others[0].finish() }
        await wait(for: asked)
        // Otherwise, the release could no longer call the task.
        guard asked.isOpen else { return }
        for job in [stays, others[1]] { job.finish() }
    }

    /// An operation keeps the records of its former dependents, until there are many.
    func testOperationThatWaitsNoLongerMayAskItsDependency() async {
        let (dependency, asked) = (HeldOperation("dependency"), Gate())
        let queue = TaskQueue(name: "waiting")
        for _ in 0..<100 {
            let token = ReleaseToken {
                _ = dependency.dependencies
                asked.open()
            }
            let plain = BlockOperation { _ = token }
            plain.addDependency(dependency)
            queue.addOperation(plain)
        }
        await runOnThreads(1) { _ in queue.cancelAllOperations() }
        await bounded { await queue.waitForAllOperations() }
        await wait(for: asked)
        guard asked.isOpen else { return }
        dependency.start()
        dependency.finish()
    }
}
