import Foundation
import JobKit
import JobKitTesting
import Synchronization
import XCTest

/// O5: if another thread finishes the task before `main(context:)`, that method is not called.
final class LaunchTaskFinishTests: XCTestCase {
    // Operation forces @unchecked. The properties are constants or atomics.
    /// Is held between its start and `main(context:)`, when the workflow reads its name.
    private final class HeldBeforeMain: LaunchTask, @unchecked Sendable {
        let isHeld = Gate()
        let goOn = Gate()
        let mains = Tally()
        private let wasHeld = Atomic(false)
        private let goesOnAfterMain: Bool

        init(goesOnAfterMain: Bool) {
            self.goesOnAfterMain = goesOnAfterMain
            super.init(queue: .concurrentQueue)
        }

        override var name: String? {
            get {
                if isExecuting, !wasHeld.exchange(true, ordering: .acquiringAndReleasing) {
                    isHeld.open()
                    goOn.wait()
                }
                return "held"
            }
            set {}
        }

        override var finishesAsynchronously: Bool { goesOnAfterMain }

        override func main(context: LaunchContext) {
            mains.add()
            if goesOnAfterMain { finish() }
        }
    }

    func testClosureAndContextAreReleasedAtTheEnd() async throws {
        let log = EventLog()
        func token(_ name: String) -> ReleaseToken { ReleaseToken { log.record(name) } }
        func closureTask() -> ClosureTask {
            let token = token("closure")
            return ClosureTask(name: "a", queue: .concurrentQueue) { _ in
                withExtendedLifetime(token) {}
            }
        }
        let (workflow, task) = (TaskWorkflow(name: "Launch"), closureTask())
        workflow.addTask(task)
        XCTAssertEqual(log.events, [])
        try await workflow.run(context: ["token": token("context")])
        await log.waitForEvent("closure")
        await log.waitForEvent("context")
        XCTAssertTrue(task.isFinished)
    }

    func testFinishBeforeMainIsTheEnd() async {
        for goesOnAfterMain in [false, true] {
            for error in [nil, SampleError("no")] {
                let task = HeldBeforeMain(goesOnAfterMain: goesOnAfterMain)
                let workflow = TaskWorkflow(name: "w", queue: TaskQueue())
                workflow.addTask(task)
                await finish(workflow) {
                    await wait(for: task.isHeld)
                    if let error { task.finish(with: error) } else { task.finish() }
                    XCTAssertTrue(task.isFinished)
                    task.goOn.open()
                }
                XCTAssertEqual(task.mains.count, 0)
                XCTAssertEqual(task.error == nil, error == nil)
            }
        }
    }

    func testCancelBeforeMainKeepsAnAsynchronousTaskFromBeingCalled() async {
        let task = HeldBeforeMain(goesOnAfterMain: true)
        let workflow = TaskWorkflow(name: "w", queue: TaskQueue())
        workflow.addTask(task)
        await finish(workflow) {
            await wait(for: task.isHeld)
            task.cancel()
            XCTAssertTrue(task.isFinished)
            task.goOn.open()
        }
        XCTAssertEqual(task.mains.count, 0)
        XCTAssertEqual(task.outcome?.description, "cancelled")
    }
}
