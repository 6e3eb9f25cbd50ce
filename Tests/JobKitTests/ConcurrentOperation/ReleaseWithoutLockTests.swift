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

    /// The task may own the last reference to the record of a job that has left it.
    func testObserverOfAJobThatLeftATaskMayAskTheTask() async {
        for leavingIndex in 0..<3 {
            let (task, asked) = (HeldOperation("task"), Gate())
            task.start()
            var jobs = (0..<3).map { _ in job(tracking: task) }
            jobs[leavingIndex]
                .addObserver(
                    TokenObserver(
                        ReleaseToken {
                            _ = task.dependencies
                            asked.open()
                        }
                    )
                )
            jobs[leavingIndex].finish()
            await jobs[leavingIndex].waitForFinish()
            jobs.remove(at: leavingIndex)
            await wait(for: asked)
            // Otherwise, the release could no longer call the task.
            guard asked.isOpen else { return }
            for job in jobs { job.finish() }
        }
    }

    /// The dependency may own the last reference to the edge of an operation that has left it.
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
