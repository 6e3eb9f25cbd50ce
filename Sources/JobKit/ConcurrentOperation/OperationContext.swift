import Foundation
import Synchronization

/// What an operation's code runs inside, so that the task-locals bound there reach it.
final class OperationContext: Sendable {
    /// Whether any operation of the process has a context: else no plain operation looks for one.
    static let isUsed = Atomic(false)

    typealias Body = @Sendable (_ body: () -> Void) -> Void

    private let own: Body
    /// What this one runs inside itself.
    private let outer: OperationContext?
    /// Whose context it is, for messages.
    ///
    /// Never changed; a `weak let` would not compile with the oldest toolchain that JobKit
    /// supports.
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

    /// Runs `body` inside the context, on this thread; traps if the context does not call it once.
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

// Unchecked because its superclass is: the context is a constant.
/// Keeps the context of a job for a task that the job leaves to itself, and that may yet start.
final class KeptContext: OperationListener, @unchecked Sendable {
    private let kept: OperationContext

    init(_ context: OperationContext) { kept = context }

    override var context: OperationContext? { kept }
}
