import Dispatch
import Foundation
import JobKit

/// A run of a job, which starts operations and continues `async` bodies in a chosen order.
///
/// It works in rounds on the executor's queue, until the job has finished. It blocks no thread
/// while it waits for outside events.
final class StepRun: Sendable {
    private struct State {
        /// Nil while a step is being chosen.
        var chooser: StepChooser?
        /// The steps that other threads have added since the last step.
        var addedOutside: Set<StepKey> = []
        var lastStep = ContinuousClock.now
        /// Whether a round is about to begin.
        var isDue = false
        var continuation: CheckedContinuation<Bool, Never>?
        var isCancelRequested = false
        /// The step that is executing.
        ///
        /// Nil between two steps.
        var step: Step?
        /// The number of threads that the run has left, because a step blocks them.
        ///
        /// It also identifies the current thread: rounds with an older number must stop.
        var leftCount = 0
    }

    /// The operation is nil for a step that continues an `async` body or cancels the job.
    private typealias Step = (operation: Operation?, began: ContinuousClock.Instant)

    private let job: JobController
    private let steps: StepQueue
    private let executor: StepExecutor
    private let patience: Duration
    private let state: Guarded<State>

    /// The duration of a step after which the run checks whether it blocks its thread.
    private static let longStep = Duration.milliseconds(50)

    /// The interval at which a run polls for changes that do not wake it, in seconds.
    ///
    /// Examples are an operation that became ready, and a job that finished on another thread.
    private static let pause = 0.005

    init(
        of job: JobController,
        on steps: StepQueue,
        _ executor: StepExecutor,
        chooser: StepChooser,
        patience: Duration
    ) {
        (self.job, self.steps, self.executor) = (job, steps, executor)
        self.patience = patience
        state = Guarded(State(chooser: chooser))
    }

    /// The recorded steps of the run, which has ended.
    var trace: [StepTrace] { state.withLock { $0.chooser?.trace ?? [] } }

    /// Runs until the job has finished or no step is possible.
    ///
    /// Returns whether the job has finished.
    func finishes() async -> Bool {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.continuation = continuation
                state.lastStep = .now
            }
            executor.runBegan(self)
            wake()
            watch(on: DispatchQueue(label: "JobKitTesting.StepQueue watch"))
        }
    }

    /// Notes an operation or a part of a body that the calling thread is about to add.
    ///
    /// Called before, because a round on another thread may choose it at once.
    func willAdd(_ key: @autoclosure () -> StepKey) {
        guard !executor.isInStep else { return }
        let key = key()
        state.withLock { _ = $0.addedOutside.insert(key) }
    }

    /// Begins a round, because a step may be possible.
    func wake() {
        let (wasDue, thread) = state.withLock { state in
            (exchange(&state.isDue, with: true), state.leftCount)
        }
        if !wasDue { executor.queue.async { [self] in round(thread) } }
    }

    /// Cancels the job as the next step of the run.
    func cancel() {
        state.withLock { $0.isCancelRequested = true }
        wake()
    }

    /// Takes steps until nothing can continue.
    ///
    /// - Parameter thread: The number of threads that had been left when the round was requested.
    ///   If more have been left since, the round stops, because another thread has taken over.
    private func round(_ thread: Int) {
        let isOver = state.withLock { state in
            guard state.leftCount == thread else { return true }
            state.isDue = false
            return state.continuation == nil
        }
        guard !isOver else { return }
        while !job.isFinished, step() {
            let isLeft = state.withLock { state in
                guard state.leftCount == thread else { return true }
                state.lastStep = .now
                state.step = nil
                return false
            }
            if isLeft { return }
        }
        guard !job.isFinished else { return end(hasFinished: true) }
        let idle = state.withLock { $0.lastStep.duration(to: .now) }
        if idle >= patience { end(hasFinished: false) }
    }

    /// Starts an operation or continues a body.
    ///
    /// Returns false if no step is possible.
    private func step() -> Bool {
        if takeCancel() {
            begin(nil)
            StepStarter.step(on: executor) { job.cancel() }
            return true
        }
        // Rounds never overlap, so nothing else chooses in between.
        let taken = state.withLock { ($0.chooser.take(), exchange(&$0.addedOutside, with: [])) }
        guard var chooser = taken.0 else { return false }
        let draw = chooser.draw(from: steps, executor, addedOutside: taken.1)
        state.withLock { $0.chooser = chooser }
        guard let draw else { return false }
        switch draw {
        case .other(let part):
            begin(nil)
            StepStarter.step(on: executor) { executor.runPart(part) }
        case .operation(let operation):
            begin(operation)
            if steps.take(operation) { StepStarter.start(operation, on: executor) }
        }
        return true
    }

    private func begin(_ operation: Operation?) {
        state.withLock { $0.step = (operation, .now) }
    }

    private func takeCancel() -> Bool {
        state.withLock { exchange(&$0.isCancelRequested, with: false) }
    }

    // MARK: Steps that block their thread

    /// Checks from time to time whether a step blocks its thread, or begins a round if there is
    /// none.
    ///
    /// - Parameter queue: A queue with a thread that no step blocks.
    private func watch(on queue: DispatchQueue) {
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            guard let self, state.withLock({ $0.continuation != nil }) else { return }
            checkStep()
            watch(on: queue)
        }
    }

    private func checkStep() {
        let (step, thread) = state.withLock { ($0.step, $0.leftCount) }
        guard let step else { return wake() }
        let time = step.began.duration(to: .now)
        guard time >= min(Self.longStep, patience) else { return }
        if step.operation?.isFinished == true {
            // The operation was abandoned, so its thread is replaced, as in a `TaskQueue`.
            if leave(thread) { wake() }
        } else if job.isFinished {
            if leave(thread) { end(hasFinished: true) }
        } else if takeCancel() {
            // The cancellation may free the thread, or block its own thread, too.
            DispatchQueue(label: "JobKitTesting.StepQueue cancel").async { [job] in job.cancel() }
        } else if time >= patience {
            if leave(thread) { end(hasFinished: false) }
        }
    }

    /// Leaves a thread in its step, and continues on another one.
    ///
    /// Returns false if the step has returned.
    private func leave(_ thread: Int) -> Bool {
        let isLeft = state.withLock { state in
            guard state.leftCount == thread, state.step != nil else { return false }
            state.leftCount += 1
            (state.step, state.isDue) = (nil, false)
            state.lastStep = .now
            return true
        }
        if isLeft { executor.replaceQueue() }
        return isLeft
    }

    private func end(hasFinished: Bool) {
        executor.runEnded(self)
        state.withLock { $0.continuation.take() }?.resume(returning: hasFinished)
    }
}
