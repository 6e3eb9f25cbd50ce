import Foundation
import JobKit
import JobKitTesting
import NIOCore
import XCTest

@testable import RemoteJobs

final class RegisteredWorkTests: XCTestCase {
    /// A worker cancels on its event loop, which must not wait for user code.
    func testDidCancelThatDoesNotReturnStopsNoOtherCancellation() async {
        let (stuck, other) = (StuckTask(), StuckTask())
        let queue = TaskQueue()
        let tasks = [stuck, other]
            .map { operation in
                let task = RunningTask()
                XCTAssertTrue(task.mayStart(operation))
                queue.addOperation(operation)
                return task
            }
        for operation in [stuck, other] { await operation.began.waitUntilOpen() }
        Thread.detachNewThread { for task in tasks { task.cancel() } }
        await within(60, "the other one is cancelled") { await other.cancelled.waitUntilOpen() }
        for operation in [stuck, other] { operation.release.open() }
        await queue.waitForAllOperations()
    }

    /// The `cancel()` of this operation does not return, so nothing may wait for it.
    func testTaskThatIsCancelledBeforeItsStartDoesNotStart() async {
        let (operation, ended) = (StuckTask(isStuckInCancel: true), Gate())
        let work = RegisteredWork { (_: Int, _) in operation }
        let (task, context) = (RunningTask(), context)
        task.cancel()
        Task { @Sendable in
            let end = await work.run(ByteBuffer(string: "1"), context, task, TaskQueue())
            guard case .stopped = end else { return XCTFail("\(end)") }
            ended.open()
        }
        await within(60, "the task ends") { await ended.waitUntilOpen() }
        XCTAssertFalse(operation.began.isOpen)
        operation.release.open()
    }

    /// Such an outcome was remembered as a success that no session could decode.
    func testOutcomeThatCannotBeDecodedFailsTheTask() async throws {
        let outcomes: [Decimal?: String] = [1: "done", nil: "done", .nan: "failed"]
        for (outcome, expected) in outcomes {
            let work = RegisteredWork { (_: Int, _) in
                ClosureOperation { [["NaN": outcome]] }
            }
            let task = RunningTask()
            switch await work.run(ByteBuffer(string: "1"), context, task, TaskQueue()) {
            case .done: XCTAssertEqual(expected, "done")
            case .failed(let body):
                XCTAssertEqual(expected, "failed")
                let failure = try Envelope.value(RemoteFailureError.self, in: body)
                XCTAssertEqual(failure.type, "EncodingError")
                let reason = "was encoded as text that cannot be decoded"
                XCTAssertTrue(failure.message.contains(reason), failure.message)
            case .stopped: XCTFail("stopped")
            }
        }
    }

    private var context: RemoteContext {
        RemoteContext(key: "k", attempt: 1, worker: "h1") { _ in }
    }
}

// Operation forces @unchecked. The stored properties are constant.
/// An operation whose cancellation returns when a gate is opened.
private final class StuckTask: ResultOperation<Int>, @unchecked Sendable {
    let (began, cancelled, release) = (Gate(), Gate(), Gate())
    private let isStuckInCancel: Bool

    init(isStuckInCancel: Bool = false) {
        self.isStuckInCancel = isStuckInCancel
        super.init()
    }

    override func main() { began.open() }

    override func cancel() {
        if isStuckInCancel { release.wait() }
        super.cancel()
    }

    override func didCancel() {
        cancelled.open()
        release.wait()
        finish(with: CancellationError())
    }
}
