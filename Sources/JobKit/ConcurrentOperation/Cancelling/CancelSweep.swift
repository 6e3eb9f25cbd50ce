import Dispatch
import Foundation

/// Cancels many operations as one decision (J8, Q7).
///
/// First the sweep bars all of them, through nested jobs: none that waits enters `main()` any
/// longer. That calls no user code. Then it cancels them one after another, which calls users'
/// `cancel()` and `didCancel()`. If such a call takes long, another thread cancels the rest.
final class CancelSweep: Sendable {
    private struct State {
        /// The next one is the last.
        var remaining: [any CancelStep]
        var begunCount = 0
        /// The steps that helpers have taken and not finished.
        var helped: [Int: any CancelStep] = [:]

        mutating func next() -> (any CancelStep)? {
            begunCount += 1
            return remaining.popLast()
        }
    }

    private let state: Guarded<State>

    /// How long a call of user code may take before another thread cancels the rest.
    private static let patience = DispatchTimeInterval.milliseconds(20)
    /// Has its own thread, which no blocked operation holds, and runs no user code.
    private static let watch = DispatchQueue(label: "JobKit.CancelSweep")

    /// Bars what the steps cancel, and everything below it.
    init(_ first: [any CancelStep]) {
        var steps: [any CancelStep] = []
        var pending = Array(first.reversed())
        while var step = pending.popLast() {
            pending += step.bar().reversed()
            steps.append(step)
        }
        steps.reverse()
        state = Guarded(State(remaining: steps))
    }

    /// Cancels operations, in this order.
    static func cancel(_ operations: [Operation]) {
        CancelSweep(operations.map { OperationCancelStep(operation: $0) }).run()
    }

    /// Cancels everything; returns when all is cancelled, or user code of another thread is left.
    func run() {
        if state.withLock({ $0.remaining.count }) > 1 { watch() }
        while let step = state.withLock({ $0.next() }) { step.carryOut() }
        // A helper may have taken a step and not have begun.
        for step in state.withLock({ Array($0.helped.values) }) { step.ensureCancelled() }
    }

    /// Whether a sweep on this thread is calling the operation's `cancel()`.
    ///
    /// It goes through the tasks of a job itself: ten thousand nested jobs need no recursion.
    static func isCancelling(_ operation: Operation) -> Bool {
        ThreadContext.current.pointee.sweepTarget == ObjectIdentifier(operation)
    }

    /// Looks, after a time, whether a step takes long.
    private func watch() {
        let begunCount = state.withLock { $0.begunCount }
        Self.watch.asyncAfter(deadline: .now() + Self.patience) { [self] in
            look(after: begunCount)
        }
    }

    private func look(after count: Int) {
        let (isEmpty, begunCount) = state.withLock { ($0.remaining.isEmpty, $0.begunCount) }
        guard !isEmpty else { return }
        // A serial queue of its own has a thread of its own.
        if begunCount == count {
            DispatchQueue(label: "JobKit.CancelSweep.help").async { [self] in help() }
        }
        watch()
    }

    /// Carries out the steps behind one that takes long.
    private func help() {
        while true {
            let taken = state.withLock { state -> (number: Int, step: any CancelStep)? in
                guard let step = state.next() else { return nil }
                state.helped[state.begunCount] = step
                return (state.begunCount, step)
            }
            guard let (number, step) = taken else { return }
            step.carryOut()
            _ = state.withLock { $0.helped.removeValue(forKey: number) }
        }
    }
}

/// One step of a ``CancelSweep``.
protocol CancelStep: Sendable {
    /// Bars the operation from `main()`, without calling user code; returns the steps for what is
    /// below it.
    mutating func bar() -> [any CancelStep]

    /// Cancels the operation, which may call user code.
    func carryOut()

    /// Cancels the operation although another thread may be about to do so.
    func ensureCancelled()
}

extension CancelStep {
    mutating func bar() -> [any CancelStep] { [] }

    func ensureCancelled() {}
}

/// Cancels an operation of a queue.
struct OperationCancelStep: CancelStep {
    let operation: Operation

    func bar() -> [any CancelStep] { operation.bar() }

    func carryOut() { operation.cancelInSweep() }

    func ensureCancelled() { operation.ensureCancelled() }
}

extension Operation {
    /// Bars the operation from `main()`, without calling user code; returns the steps for what is
    /// below it.
    func bar() -> [any CancelStep] {
        if let concurrent = self as? ConcurrentOperation { return concurrent.barred() }
        // Its class is Foundation's, so that no user code is called.
        if type(of: self) == BlockOperation.self { cancel() } else { PlainOperations.bar(self) }
        return []
    }

    /// Calls `cancel()` in a sweep, and notifies the queue of a plain operation.
    func cancelInSweep() {
        let context = ThreadContext.current
        let outer = context.pointee.sweepTarget
        context.pointee.sweepTarget = ObjectIdentifier(self)
        cancel()
        context.pointee.sweepTarget = outer
        guard !(self is ConcurrentOperation) else { return }
        PlainOperations.withKnown(self) { $0.queue }?.operationCancelled(self)
    }

    func ensureCancelled() { (self as? ConcurrentOperation)?.cancelItself() }
}
