import Dispatch
import Foundation
import Synchronization

/// The Foundation equivalent of ``PendingTask``: an operation that the test finishes.
// Unchecked, like every Operation subclass: its state is one atomic value and a semaphore.
final class PendingOperation: Operation, @unchecked Sendable {
    private enum Phase {
        static let ready = 0
        static let executing = 1
        static let finished = 2
    }

    private let phase = Atomic(Phase.ready)
    private let hasStarted = DispatchSemaphore(value: 0)

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { phase.load(ordering: .acquiring) == Phase.executing }
    override var isFinished: Bool { phase.load(ordering: .acquiring) == Phase.finished }

    override func start() {
        change(to: Phase.executing, notifying: ["isExecuting"])
        hasStarted.signal()
    }

    /// Blocks the thread until the operation executes.
    func waitUntilStarted() { hasStarted.wait() }

    /// Ends the operation.
    ///
    /// It must be called once, after the start.
    func finish() {
        change(to: Phase.finished, notifying: ["isExecuting", "isFinished"])
    }

    private func change(to newPhase: Int, notifying keys: [String]) {
        for key in keys { willChangeValue(forKey: key) }
        phase.store(newPhase, ordering: .releasing)
        for key in keys { didChangeValue(forKey: key) }
    }
}
