import Foundation
import JobKit
import JobKitTesting
import XCTest

/// An operation that another thread finishes keeps its permit until all notifications were sent.
///
/// The other thread finishes it while its `start()` returns.
final class TaskQueueFinishOnAnotherThreadTests: XCTestCase {
    /// Holds the finishing thread before the dependents of the operation are notified.
    private final class SlowObserver: JobObserver {
        let (began, release) = (Gate(), Gate())

        func job(_ job: JobController, didRecord event: JobEvent) {
            guard event.kind == .finished, event.name == "finished elsewhere" else { return }
            began.open()
            release.wait()
        }
    }

    // Operation forces @unchecked.
    /// Returns from `main()` when another thread has begun to finish it.
    private final class FinishedElsewhere: ConcurrentOperation, @unchecked Sendable {
        let observer: SlowObserver

        init(_ observer: SlowObserver) {
            self.observer = observer
            super.init()
            name = "finished elsewhere"
        }

        override func main() {
            Thread.detachNewThread { self.finish() }
            observer.began.wait()
        }
    }

    // Operation forces @unchecked. The property is set before the start.
    private final class Job: JobController, @unchecked Sendable {
        var task: Operation?

        override func main() { task.map { track($0) } }
    }

    /// Q2, R2: dependents, the job and its observers come before the next operation in the queue.
    func testPermitIsKeptUntilTheFinishWasNotified() async throws {
        let observer = SlowObserver()
        let task = FinishedElsewhere(observer)
        let job = Job()
        job.task = task
        job.addObserver(observer)
        let log = EventLog()
        let dependent = ClosureOperation { log.record("dependent") }
        dependent.queuePriority = .high
        dependent.addDependency(task)
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        queue.isSuspended = true
        queue.addOperations([task, ClosureOperation { log.record("other") }, dependent])
        let whole = Task { try await job.run() }
        while job.trackedTasks.isEmpty { await Task.yield() }
        queue.isSuspended = false
        await observer.began.waitUntilOpen()
        // A worker that wrongly takes the next operation needs only a moment.
        for _ in 0..<2_000 where queue.operations.contains(task) {
            giveWay(forMicroseconds: 10)
        }
        XCTAssertTrue(queue.operations.contains(task))
        observer.release.open()
        await drain(queue)
        try await whole.value
        XCTAssertEqual(log.events, ["dependent", "other"])
    }
}
