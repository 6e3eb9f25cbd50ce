import Foundation
import Synchronization

/// Wraps the code of an operation, so that the task-local values bound by the wrapper reach it.
final class OperationContext: Sendable {
    /// Whether any operation of the process has a context.
    ///
    /// If not, plain operations skip the search.
    static let isUsed = Atomic(false)

    typealias Body = @Sendable (_ body: () -> Void) -> Void

    private let own: Body
    /// The context around this one.
    private let outer: OperationContext?
    /// The operation that has the context, for messages.
    ///
    /// Never changed, but a `weak let` would not compile with the oldest supported toolchain.
    nonisolated(unsafe) private weak var owner: Operation?

    init(_ own: @escaping Body, of owner: Operation?, inside outer: OperationContext?) {
        self.own = own
        self.owner = owner
        self.outer = outer
    }

    /// The same context inside another one.
    func moved(inside outer: OperationContext) -> OperationContext {
        OperationContext(own, of: owner, inside: outer)
    }

    /// Runs `body` inside the context, on this thread.
    ///
    /// Traps unless the context calls it exactly once.
    func run(_ body: () -> Void) {
        guard let outer else { return runInside(body) }
        outer.run { runInside(body) }
    }

    private func runInside(_ body: () -> Void) {
        var calls = 0
        own {
            calls += 1
            if calls == 1 { body() }
        }
        guard calls != 1 else { return }
        let label = owner.map(operationLabel) ?? "a job"
        fatalError("JobKit: the context of \(label) called its body \(calls) times, not once.")
    }
}

// Unchecked because its superclass is. The context is a constant.
/// Keeps a job's context for a task that the job leaves and that may still start.
final class KeptContext: OperationListener, @unchecked Sendable {
    private let kept: OperationContext

    init(_ context: OperationContext) { kept = context }

    override var context: OperationContext? { kept }
}
