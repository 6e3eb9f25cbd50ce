import Foundation
import JobKit
import JobKitTesting
import XCTest

// Operation forces @unchecked. The closures are set before the start.
/// A job that records its callbacks and runs closures of a test.
final class ScriptedJob: JobController, @unchecked Sendable {
    let log: EventLog
    var script: (ScriptedJob) -> Void
    var onTask: ((ScriptedJob, Operation) -> Void)?
    var onFailure: (ScriptedJob, Operation) -> FailureResponse = { _, _ in .failJob }
    var onGroup: ((ScriptedJob, JobGroup) -> Void)?
    var onAll: ((ScriptedJob) -> Void)?
    var onCancelled: ((ScriptedJob) -> Void)?
    var onDidCancel: ((ScriptedJob) -> Void)?

    init(
        _ name: String = "job",
        log: EventLog = EventLog(),
        queue: any OperationScheduling = TaskQueue(name: "scripted"),
        callbackQueue: DispatchQueue? = nil,
        script: @escaping (ScriptedJob) -> Void = { _ in }
    ) {
        self.log = log
        self.script = script
        super.init(queue: queue, callbackQueue: callbackQueue)
        self.name = name
    }

    var events: [String] { log.events }

    override func main() { script(self) }

    override func taskFinished(_ task: Operation) {
        log.record("task \(task.name ?? "")")
        onTask?(self, task)
    }

    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        log.record("failed \(task.name ?? "")")
        return onFailure(self, task)
    }

    override func taskGroupFinished(_ group: JobGroup) {
        log.record("group \(group)")
        onGroup?(self, group)
    }

    override func allTasksFinished() {
        log.record("all")
        onAll?(self)
    }

    override func jobCancelled() {
        log.record("cancelled")
        onCancelled?(self)
    }

    override func didCancel() { onDidCancel?(self) }
}

/// A queue that records its operations and starts none.
final class IdleQueue: OperationScheduling {
    private let added = EventLog()

    var names: [String] { added.events }

    func addOperation(_ operation: Operation) { added.record(operation.name ?? "") }
}

/// A queue that starts each operation on the thread that adds it.
final class InlineQueue: OperationScheduling {
    func addOperation(_ operation: Operation) { operation.start() }
}

extension XCTestCase {
    /// Waits until a gate is open.
    func wait(for gate: Gate, line: Int = #line) async {
        let opened = expectation(description: "opened, line \(line)")
        Task {
            await gate.waitUntilOpen()
            opened.fulfill()
        }
        await fulfillment(of: [opened], timeout: 300)
    }
}

// Operation forces @unchecked. The count is changed only in the job's own callbacks.
/// A job of many steps, each started by the callback of the one before.
final class StepsJob: JobController, @unchecked Sendable {
    static let stepCount = length(of: 100_000)
    private(set) var count = 0

    override func main() { step() }

    private func step() {
        guard count < Self.stepCount else { return }
        trackAndQueue(ConcurrentOperation()) { _ in
            self.count += 1
            self.step()
        }
    }
}
