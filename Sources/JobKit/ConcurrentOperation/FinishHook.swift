import Dispatch
import Foundation
import Synchronization

// Operation is not Sendable; the hook's own state is a constant, a lock and what Foundation locks.
/// Learns that an `Operation` of any class has finished, without key-value observation and without
/// touching its `completionBlock`.
///
/// The hook is itself an operation, which depends on the watched one. On Linux, Foundation asks a
/// dependent for `isReady` the moment its last dependency finishes. On Apple platforms the hook
/// waits in a queue of its own and is started then.
///
/// Foundation stores dependents unretained, so a watching hook retains itself, and with it the
/// operation. Whoever makes a hook calls ``detach()`` when the finish no longer matters; otherwise
/// an operation that never finishes is never released.
class FinishHook: Operation, @unchecked Sendable {
    private struct State {
        var machine = FinishHookStateMachine()
        /// The hook itself while Foundation may reach it.
        var keptAlive: FinishHook?
    }

    private let body: @Sendable () -> Void
    private let state = Guarded(State())

    /// Makes a hook that calls `body` once, on the thread of the finish, after ``watch(_:)``.
    ///
    /// On Apple platforms the body runs on a thread that all hooks share, and must not block it.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Begins to watch; calls the body before it returns if the operation has finished already.
    ///
    /// Does nothing if the hook was detached before. Call it once.
    func watch(_ operation: Operation) {
        guard state.withLock({ $0.machine.watchBegan() }) else { return }
        addDependency(operation)
        #if canImport(Darwin)
        Self.queue.addOperation(self)
        #endif
        let next = state.withLock { state in
            let next = state.machine.registered()
            if next == .watch { state.keptAlive = self }
            return next
        }
        if next == .takeBack { takeBack() }
        #if !canImport(Darwin)
        // A user's operation may say that it has finished before it tells Foundation.
        if next == .watch, operation.isFinished, detach() { body() }
        #endif
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
        switch next {
        case .nothing(let wasWaiting):
            return wasWaiting
        case .takeBack:
            takeBack()
            return true
        }
    }

    private func takeBack() {
        for operation in dependencies { removeDependency(operation) }
        #if canImport(Darwin)
        // The queue lets go of a cancelled hook by starting it, which calls no body any more.
        cancel()
        #endif
    }

    private func fire() {
        let (isFirst, kept) = state.withLock { ($0.machine.finishHeard(), $0.keptAlive.take()) }
        if isFirst { body() }
        withExtendedLifetime(kept) {}
    }

    #if canImport(Darwin)
    /// Starts the hooks of finished operations at once.
    ///
    /// An operation queue of its own accord works in
    /// the background, and starts nothing while operations that block hold all of Dispatch's shared
    /// threads; a serial dispatch queue has the quality that it is given, and always gets a thread.
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "JobKit.FinishHook"
        queue.underlyingQueue = DispatchQueue(label: "JobKit.FinishHook", qos: .userInteractive)
        return queue
    }()

    override func main() { fire() }
    #else
    override var isReady: Bool {
        let isReady = super.isReady
        if isReady { fire() }
        return isReady
    }
    #endif
}
