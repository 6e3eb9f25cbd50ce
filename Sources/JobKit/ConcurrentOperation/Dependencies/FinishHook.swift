import Dispatch
import Foundation
import Synchronization

// Operation forces @unchecked. The hook has a constant, a lock and the state that Foundation locks.
/// Detects that an `Operation` of any class has finished.
///
/// The hook uses neither key-value observation nor the `completionBlock`. It is itself an
/// operation, which depends on the watched one and detects its completion in one of two ways: see
/// ``Trigger``.
///
/// Foundation does not retain dependents. Therefore, a watching hook retains itself, and with it
/// the watched operation. If the completion no longer matters, the owner of the hook must call
/// ``detach()``. Otherwise, an operation that never finishes is never released.
class FinishHook: Operation, @unchecked Sendable {
    /// How a hook detects the completion.
    ///
    /// Both ways work on Linux and are tested there.
    enum Trigger: CaseIterable, Sendable {
        /// On Linux, Foundation reads `isReady` of a dependent as soon as its last dependency
        /// finishes.
        case readinessCheck
        /// The hook waits in one of the ``FinishLanes``, which starts it when the operation has
        /// finished.
        case start

        /// The trigger that works on this platform.
        static var usual: Trigger {
            #if canImport(Darwin)
            .start
            #else
            .readinessCheck
            #endif
        }
    }

    private let body: @Sendable () -> Void
    private let trigger: Trigger
    /// `keptAlive` is the hook itself, while Foundation may still use it.
    private let state = Guarded<(machine: FinishHookStateMachine, keptAlive: FinishHook?)>(
        (FinishHookStateMachine(), nil)
    )

    /// Creates a hook that calls `body` once, after ``watch(_:)``.
    ///
    /// With ``Trigger/readinessCheck``, the body runs on the thread that finishes the operation.
    /// With ``Trigger/start``, it runs on a thread that several hooks share.
    init(trigger: Trigger = .usual, _ body: @escaping @Sendable () -> Void) {
        self.body = body
        self.trigger = trigger
    }

    /// Starts watching an operation.
    ///
    /// If it has already finished, the body is called before this returns.
    ///
    /// Does nothing if the hook was detached before. Call this at most once.
    func watch(_ operation: Operation) {
        guard state.withLock({ $0.machine.watchBegan() }) else { return }
        addDependency(operation)
        if trigger == .start { FinishLanes.next.addOperation(self) }
        let isWatching = state.withLock { state in
            let isWatching = state.machine.registered()
            if isWatching { state.keptAlive = self }
            return isWatching
        }
        if !isWatching { unregister() }
        // A user's operation may report that it has finished before it notifies Foundation.
        if isWatching, operation.isFinished, detach() { body() }
        withExtendedLifetime(self) {}
    }

    /// Stops watching.
    ///
    /// May be called before ``watch(_:)`` and at the same time.
    ///
    /// - Returns: False if there is nothing to stop, because the hook was detached before, or the
    ///   body was called or is being called on another thread.
    func detach() -> Bool {
        let (ended, kept) = state.withLock { ($0.machine.detached(), $0.keptAlive.take()) }
        // Released last, because the hook may own the last reference to the operation that it
        // watches.
        defer { withExtendedLifetime(kept) {} }
        if ended.mustUnregister { unregister() }
        return ended.isFirst
    }

    private func unregister() {
        for operation in dependencies { removeDependency(operation) }
        // The lane releases a cancelled hook by starting it. The hook does not call its body then.
        if trigger == .start { cancel() }
    }

    private func fire() {
        let (isFirst, kept) = state.withLock { ($0.machine.finishDetected(), $0.keptAlive.take()) }
        if isFirst { body() }
        withExtendedLifetime(kept) {}
    }

    override func main() {
        if trigger == .start { fire() }
    }

    override var isReady: Bool {
        let isReady = super.isReady
        if isReady, trigger == .readinessCheck { fire() }
        return isReady
    }
}
