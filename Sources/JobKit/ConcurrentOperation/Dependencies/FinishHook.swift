import Dispatch
import Foundation
import Synchronization

// Operation is not Sendable; the hook's own state is a constant, a lock and what Foundation locks.
/// Learns that an `Operation` of any class has finished, without key-value observation and without
/// touching its `completionBlock`.
///
/// The hook is itself an operation, which depends on the watched one, and hears of the finish in
/// one of two ways: see ``Way``.
///
/// Foundation stores dependents unretained, so a watching hook retains itself, and with it the
/// operation. The maker of a hook calls ``detach()`` when the finish no longer matters; otherwise
/// an operation that never finishes is never released.
class FinishHook: Operation, @unchecked Sendable {
    /// How a hook hears of the finish; both work on Linux, where both are tested.
    enum Way: CaseIterable, Sendable {
        /// Foundation asks a dependent for `isReady` the moment its last dependency finishes: on
        /// Linux.
        case asked
        /// The hook waits in one of the ``FinishLanes``, which starts it then.
        case started

        /// The platform's.
        static var usual: Way {
            #if canImport(Darwin)
            .started
            #else
            .asked
            #endif
        }
    }

    private struct State {
        var machine = FinishHookStateMachine()
        /// The hook itself while Foundation may reach it.
        var keptAlive: FinishHook?
    }

    private let body: @Sendable () -> Void
    private let way: Way
    private let state = Guarded(State())

    /// Makes a hook that calls `body` once, on the thread of the finish, after ``watch(_:)``.
    ///
    /// Where the hook is started, the body runs on a thread that some hooks share.
    init(way: Way = .usual, _ body: @escaping @Sendable () -> Void) {
        self.body = body
        self.way = way
    }

    /// Begins to watch; calls the body before it returns if the operation has finished already.
    ///
    /// Does nothing if the hook was detached before. Call it once.
    func watch(_ operation: Operation) {
        guard state.withLock({ $0.machine.watchBegan() }) else { return }
        addDependency(operation)
        if way == .started { FinishLanes.next.addOperation(self) }
        let next = state.withLock { state in
            let next = state.machine.registered()
            if next == .watch { state.keptAlive = self }
            return next
        }
        if next == .takeBack { takeBack() }
        // A user's operation may say that it has finished before it tells Foundation.
        if next == .watch, operation.isFinished, detach() { body() }
        withExtendedLifetime(self) {}
    }

    /// Ends the watch.
    ///
    /// Returns false if the watch was ended before: the body was called, or is being called on
    /// another thread, or the hook was detached. May be called beside ``watch(_:)`` and before it.
    func detach() -> Bool {
        let (next, kept) = state.withLock { ($0.machine.detached(), $0.keptAlive.take()) }
        // Released at the end: the hook may own the last reference to what it watches.
        defer { withExtendedLifetime(kept) {} }
        if next == .takeBack { takeBack() }
        return next != .tooLate
    }

    private func takeBack() {
        for operation in dependencies { removeDependency(operation) }
        // The lane lets go of a cancelled hook by starting it, which calls no body any more.
        if way == .started { cancel() }
    }

    private func fire() {
        let (isFirst, kept) = state.withLock { ($0.machine.finishHeard(), $0.keptAlive.take()) }
        if isFirst { body() }
        withExtendedLifetime(kept) {}
    }

    override func main() {
        if way == .started { fire() }
    }

    override var isReady: Bool {
        let isReady = super.isReady
        if isReady, way == .asked { fire() }
        return isReady
    }
}
