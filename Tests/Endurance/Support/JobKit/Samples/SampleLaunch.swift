import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Counts its calls, and fulfills expectations of a test.
// Tests set it up before the start and read it after the end.
nonisolated final class SampleDelegate: TaskWorkflowDelegate, Sendable {
    let log = EventLog()
    private let whenTold: @Sendable (TaskWorkflow) -> Void

    init(_ whenTold: @escaping @Sendable (TaskWorkflow) -> Void = { _ in }) {
        self.whenTold = whenTold
    }

    func workflowDidFinish(_ workflow: TaskWorkflow) {
        log.record("\(workflow.state) \(Thread.isMainThread ? "on the main thread" : "elsewhere")")
        whenTold(workflow)
    }
}

/// Returns a task that records its name, after waiting at a gate if there is one.
func logging(
    _ name: String,
    _ log: EventLog,
    queue: LaunchTaskQueue = .mainQueue,
    after gate: Gate? = nil
) -> LaunchTask {
    ClosureTask(name: name, queue: queue) { _ in
        gate.map(wait)
        log.record(Thread.isMainThread ? "\(name) on main" : name)
    }
}

private func wait(at gate: Gate) { gate.wait() }

extension XCTestCase {
    /// Starts the workflow off the main thread and waits until its delegate was notified.
    func finish(
        _ workflow: TaskWorkflow,
        context: LaunchContext = [:],
        meanwhile: () async -> Void = {}
    ) async {
        let told = expectation(description: "told")
        let delegate = SampleDelegate { _ in told.fulfill() }
        workflow.delegate = delegate
        workflow.start(context: context)
        await meanwhile()
        await fulfillment(of: [told], timeout: 300)
        XCTAssertEqual(delegate.log.events, ["finished on the main thread"])
    }
}
