import Dispatch
import Foundation
import Synchronization

/// Cancels many operations as one decision (J8, Q7).
///
/// The sweep first bars all operations, including those of nested jobs, so that none of the waiting
/// ones can enter `main()`. This calls no user code. Instances of `BlockOperation` come last,
/// because only their `cancel()` bars them, and they may then end at once and make others ready.
/// The sweep then cancels all operations one after another, which calls users' `cancel()` and
/// `didCancel()`. If such a call takes long, another thread cancels the rest.
final class CancelSweep: Sendable {
    private struct State {
        /// In reverse order: the next step is the last element.
        var remaining: [any CancelStep]
        var begunCount = 0
        /// The steps that helpers have taken and not finished, by their numbers.
        var assisted: [Int: any CancelStep] = [:]

        mutating func next() -> (any CancelStep)? {
            begunCount += 1
            return remaining.popLast()
        }
    }

    private let state: Guarded<State>
    /// How many sweeps are barring operations.
    private static let barringCount = Atomic<Int>(0)

    /// How long a call of user code may take before another thread cancels the rest.
    private static let assistDelay = DispatchTimeInterval.milliseconds(20)
    /// Runs no user code, and has its own thread, so blocked operations cannot delay it.
    private static let watch = DispatchQueue(label: "JobKit.CancelSweep")

    /// Bars the operations of the steps, and everything below them.
    init(_ first: [any CancelStep]) {
        Self.barringCount.add(1, ordering: .acquiringAndReleasing)
        defer { Self.barringCount.subtract(1, ordering: .acquiringAndReleasing) }
        var (timers, steps): ([any CancelStep], [any CancelStep]) = ([], [])
        var pending = Array(first.reversed())
        while var step = pending.popLast() {
            pending += step.bar().reversed()
            if step.startsTimer { timers.append(step) } else { steps.append(step) }
        }
        steps.reverse()
        for case let operation? in steps.map(\.target) where operation.isBlock {
            operation.cancel()
        }
        state = Guarded(State(remaining: steps + timers))
    }

    /// Waits while a sweep is barring operations, which calls no user code.
    ///
    /// Called before an operation ends without `main()`. Otherwise, its end could start another
    /// operation that the same sweep has not barred yet.
    static func waitForBars() {
        while barringCount.load(ordering: .acquiring) > 0 { sched_yield() }
    }

    /// Cancels operations, in this order.
    static func cancel(_ operations: [Operation]) {
        CancelSweep(operations.map { OperationCancelStep(operation: $0) }).run()
    }

    /// Cancels everything.
    ///
    /// When this returns, all operations are cancelled. However, user code that another thread
    /// calls for this may still be running.
    func run() {
        if state.withLock({ $0.remaining.count }) > 1 { watch() }
        while let step = state.withLock({ $0.next() }) { step.carryOut() }
        // A helper may have taken a step and not have begun it.
        for step in state.withLock({ Array($0.assisted.values) }) { step.target?.ensureCancelled() }
    }

    /// Whether a sweep on this thread is calling the operation's `cancel()`.
    ///
    /// In that case, a job does not cancel its tasks, because the sweep does. Therefore, ten
    /// thousand nested jobs need no recursion.
    static func isCancelling(_ operation: Operation) -> Bool {
        ThreadContext.current.pointee.sweepTarget == ObjectIdentifier(operation)
    }

    /// Checks after a delay whether a step takes long.
    private func watch() {
        let before = state.withLock { $0.begunCount }
        Self.watch.asyncAfter(deadline: .now() + Self.assistDelay) { [self] in
            let (isEmpty, begunCount) = state.withLock { ($0.remaining.isEmpty, $0.begunCount) }
            guard !isEmpty else { return }
            // A new serial queue has its own thread.
            if begunCount == before {
                DispatchQueue(label: "JobKit.CancelSweep.assist").async { [self] in assist() }
            }
            watch()
        }
    }

    /// Carries out the steps that follow one that takes long.
    private func assist() {
        while true {
            let taken = state.withLock { state -> (number: Int, step: any CancelStep)? in
                guard let step = state.next() else { return nil }
                state.assisted[state.begunCount] = step
                return (state.begunCount, step)
            }
            guard let (number, step) = taken else { return }
            step.carryOut()
            _ = state.withLock { $0.assisted.removeValue(forKey: number) }
        }
    }
}

/// One step of a ``CancelSweep``.
protocol CancelStep: Sendable {
    /// Bars the operation from `main()`, without calling user code.
    ///
    /// - Returns: The steps that cancel the operations below it.
    mutating func bar() -> [any CancelStep]

    /// The operation that the step cancels, or nil for a step of another kind.
    var target: Operation? { get }

    /// Whether the step starts a timer, and therefore comes before those that call user code.
    var startsTimer: Bool { get }

    /// Cancels the operation, which may call user code.
    func carryOut()
}

extension CancelStep {
    var startsTimer: Bool { false }
}

/// Cancels one operation.
struct OperationCancelStep: CancelStep {
    let operation: Operation

    var target: Operation? { operation }

    func bar() -> [any CancelStep] { operation.bar() }

    func carryOut() { operation.cancelInSweep() }
}
