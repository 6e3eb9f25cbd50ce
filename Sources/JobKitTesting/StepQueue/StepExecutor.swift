import Dispatch
import Foundation
import JobKit

/// Holds the parts of `async` bodies that are ready to run until a run of the queue picks one.
///
/// A part reaches from one suspension of a body to the next, and Swift passes it as a job of the
/// executor. Without a run, parts are not held and run one after another.
final class StepExecutor: TaskExecutor {
    private struct State {
        var parts: [UnownedJob] = []
        var runs: [ObjectIdentifier: StepRun] = [:]
        var queue = StepExecutor.newQueue()
    }

    private static let isStepQueue = DispatchSpecificKey<Bool>()

    private static func newQueue() -> DispatchQueue {
        let queue = DispatchQueue(label: "JobKitTesting.StepQueue")
        queue.setSpecific(key: isStepQueue, value: true)
        return queue
    }

    /// Whether the calling thread is in a step of a run.
    var isInStep: Bool { DispatchQueue.getSpecific(key: Self.isStepQueue) == true }

    private let state = Guarded(State())
    /// The serial queue on which runs start operations and continue bodies.
    var queue: DispatchQueue { state.withLock { $0.queue } }

    /// Continues on a new queue, because a step blocks the thread of the old one.
    func replaceQueue() {
        state.withLock { $0.queue = Self.newQueue() }
    }

    /// Holds a part of a body, or continues it if there is no run.
    func enqueue(_ job: consuming ExecutorJob) {
        let part = UnownedJob(job)
        var isHeld = false
        add(StepKey(part)) {
            isHeld = state.withLock { state in
                if !state.runs.isEmpty { state.parts.append(part) }
                return !state.runs.isEmpty
            }
        }
        if !isHeld { continueBody(part) }
    }

    private func continueBody(_ part: UnownedJob) {
        queue.async { [self] in part.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The number of parts that are held.
    var count: Int { state.withLock { $0.parts.count } }
    /// The Swift tasks of the parts, in the order of the parts.
    var keys: [StepKey] { state.withLock { $0.parts.map { StepKey($0) } } }

    /// Continues the part at an index, which must exist.
    func runPart(_ index: Int) {
        let part = state.withLock { $0.parts.remove(at: index) }
        part.runSynchronously(on: asUnownedTaskExecutor())
    }

    func runBegan(_ run: StepRun) {
        state.withLock { $0.runs[ObjectIdentifier(run)] = run }
    }

    func runEnded(_ run: StepRun) {
        let parts = state.withLock { state -> [UnownedJob] in
            state.runs[ObjectIdentifier(run)] = nil
            guard state.runs.isEmpty else { return [] }
            return exchange(&state.parts, with: [])
        }
        for part in parts { continueBody(part) }
    }

    /// Adds a step with `body`, and wakes all runs.
    func add(_ key: @autoclosure () -> StepKey, _ body: () -> Void) {
        for run in runs { run.willAdd(key()) }
        body()
        for run in runs { run.wake() }
    }

    private var runs: [StepRun] { state.withLock { Array($0.runs.values) } }
}
