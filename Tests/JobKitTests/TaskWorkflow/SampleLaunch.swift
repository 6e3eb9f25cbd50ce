import Foundation
import JobKit
import JobKitTesting

/// Counts how often it was told, and fulfils what a test waits for.
// Tests set it up before the start and read it after the end.
final class SampleDelegate: TaskWorkflowDelegate, Sendable {
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

struct LaunchSampleError: Error {}

/// A task that records its name, and waits at a gate before it does if there is one.
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
