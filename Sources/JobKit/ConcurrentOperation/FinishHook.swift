import Foundation
import Synchronization

// Operation is not Sendable; the hook's own state is a constant, an atomic and what Foundation locks.
/// Learns that an `Operation` of any class has finished, without key-value observation and without
/// touching its `completionBlock`.
///
/// The hook is itself an operation, which depends on the watched one. On Linux, Foundation asks a
/// dependent for `isReady` the moment its last dependency finishes. On Apple platforms the hook
/// waits in a queue of its own and is started then.
///
/// Foundation stores dependents unretained: whoever makes a hook keeps it until it has fired, or
/// calls ``detach()`` before letting it go.
final class FinishHook: Operation, @unchecked Sendable {
    private let body: @Sendable () -> Void
    private let hasFired = Atomic(false)
    private let isArmed = Atomic(false)

    /// Makes a hook that calls `body` once, on the thread of the finish, after ``watch(_:)``.
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Begins to watch; calls the body before it returns if the operation has finished already.
    func watch(_ operation: Operation) {
        isArmed.store(true, ordering: .releasing)
        addDependency(operation)
        #if canImport(Darwin)
        Self.queue.addOperation(self)
        #else
        // Foundation may be about to tell the hook too, which may be released once it has fired.
        if operation.isFinished, detach() { body() }
        #endif
    }

    /// Ends the watch.
    ///
    /// Returns false if the body was called, or is being called on another thread.
    func detach() -> Bool {
        let wasWaiting = !hasFired.exchange(true, ordering: .acquiringAndReleasing)
        for operation in dependencies { removeDependency(operation) }
        #if canImport(Darwin)
        cancel()
        #endif
        return wasWaiting
    }

    private func fire() {
        guard isArmed.load(ordering: .acquiring) else { return }
        guard !hasFired.exchange(true, ordering: .acquiringAndReleasing) else { return }
        body()
    }

    #if canImport(Darwin)
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "JobKit.FinishHook"
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
