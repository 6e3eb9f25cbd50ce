import Dispatch
import Foundation
import JobKit

/// One run of a job: starts what is held and lets `async` bodies go on, in the seed's order, until
/// the job has finished.
///
/// Works on the queue of the executor, in rounds, and blocks no thread while it waits for what
/// comes from outside.
final class StepRun: Sendable {
    private struct State {
        var generator: StepGenerator
        var lastStep = ContinuousClock.now
        /// Whether a round is about to begin; and whether one begins after a while.
        var isDue = false
        var isTicking = false
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private let job: JobController
    private let steps: StepQueue
    private let executor: StepExecutor
    private let patience: Duration
    private let state: Guarded<State>

    /// How often a run polls for what does not wake it: an operation that became ready, a job that
    /// finished on another thread.
    private static let pause = DispatchTimeInterval.milliseconds(5)

    init(
        of job: JobController,
        on steps: StepQueue,
        _ executor: StepExecutor,
        seed: UInt64,
        patience: Duration
    ) {
        (self.job, self.steps, self.executor) = (job, steps, executor)
        self.patience = patience
        state = Guarded(State(generator: StepGenerator(seed: seed)))
    }

    /// Runs until the job has finished or nothing goes on; returns whether it has finished.
    func finishes() async -> Bool {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.continuation = continuation
                state.lastStep = .now
            }
            executor.runBegan(self)
            wake()
        }
    }

    /// Begins a round; something may go on.
    func wake() {
        let wasDue = state.withLock { exchange(&$0.isDue, with: true) }
        if !wasDue { executor.queue.async { [self] in round() } }
    }

    /// Cancels the job, as a step of the run.
    func cancel() {
        executor.queue.async { [self] in
            StepStarter.step(on: executor) { job.cancel() }
            wake()
        }
    }

    private func round() {
        let isOver = state.withLock { state in
            state.isDue = false
            return state.continuation == nil
        }
        guard !isOver else { return }
        while !job.isFinished, step() {
            state.withLock { $0.lastStep = .now }
        }
        guard !job.isFinished else { return end(hasFinished: true) }
        let idle = state.withLock { $0.lastStep.duration(to: .now) }
        guard idle < patience else { return end(hasFinished: false) }
        tick()
    }

    /// Starts an operation or lets a body go on; returns false if nothing can.
    private func step() -> Bool {
        // Rounds come one after another, so that nothing else draws meanwhile.
        var generator = state.withLock { $0.generator }
        // A round without a step leaves no trace: how many of them there are depends on time.
        guard let draw = steps.draw(besides: executor.count, using: &generator) else {
            return false
        }
        state.withLock { $0.generator = generator }
        switch draw {
        case .other(let part): StepStarter.step(on: executor) { executor.runPart(part) }
        case .operation(let operation):
            if steps.take(operation) { StepStarter.start(operation, on: executor) }
        }
        return true
    }

    private func tick() {
        guard !state.withLock({ exchange(&$0.isTicking, with: true) }) else { return }
        executor.queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
            state.withLock { $0.isTicking = false }
            round()
        }
    }

    private func end(hasFinished: Bool) {
        executor.runEnded(self)
        state.withLock { $0.continuation.take() }?.resume(returning: hasFinished)
    }
}

/// Random numbers that a seed repeats.
///
/// > Source: SplitMix64; G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
/// > generators", OOPSLA 2014.
struct StepGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
