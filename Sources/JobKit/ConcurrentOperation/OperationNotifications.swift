import Dispatch
import Foundation

/// The only file that tells Foundation of a change, always with no lock held.
extension ConcurrentOperation {
    /// Announces that `isExecuting` is about to become true, if `state` lets the operation be
    /// started.
    @inline(__always)
    func announceWillExecute(from state: OperationLifecycle) {
        // On Linux the notification of `isExecuting` has no effect that anybody can see, and costs
        // two locks and a comparison of strings.
        #if canImport(Darwin)
        if state.mayEnterMain { willChangeValue(forKey: "isExecuting") }
        #endif
    }

    /// Announces that `isExecuting` became true.
    ///
    /// - Parameter state: As it was for ``announceWillExecute(from:)``.
    @inline(__always)
    func announceDidExecute(from state: OperationLifecycle) {
        #if canImport(Darwin)
        if state.mayEnterMain { didChangeValue(forKey: "isExecuting") }
        #endif
    }

    /// Announces that `isFinished` is about to become true.
    @inline(__always)
    func announceWillFinish(wasExecuting: Bool) {
        #if canImport(Darwin)
        if wasExecuting { willChangeValue(forKey: "isExecuting") }
        willChangeValue(forKey: "isFinished")
        #endif
    }

    /// Announces that `isFinished` became true: wakes waiters, dependents of Foundation's, the
    /// `OperationQueue` and the `completionBlock`.
    @inline(__always)
    func announceDidFinish(wasExecuting: Bool) {
        didChangeValue(forKey: "isFinished")
        #if canImport(Darwin)
        if wasExecuting { didChangeValue(forKey: "isExecuting") }
        #endif
    }

    /// Changes what `dependencies` says, and announces it.
    @inline(__always)
    func changeDependencies(_ change: () -> Void) {
        #if canImport(Darwin)
        willChangeValue(forKey: "dependencies")
        #endif
        change()
        #if canImport(Darwin)
        didChangeValue(forKey: "dependencies")
        #endif
    }

    /// Announces that `isReady` has changed.
    ///
    /// - Parameter isReady: What it has become. An observer who asks for the old value is told the
    ///   other one, although a dependency's finish has changed the state before.
    func announceReady(_ isReady: Bool = true) {
        let context = ThreadContext.current
        #if canImport(Darwin)
        let former = context.pointee.formerReadiness
        context.pointee.formerReadiness = (ObjectIdentifier(self), !isReady)
        willChangeValue(forKey: "isReady")
        context.pointee.formerReadiness = former
        #endif
        let outer = context.pointee.announcingReady
        context.pointee.announcingReady = ObjectIdentifier(self)
        didChangeValue(forKey: "isReady")
        context.pointee.announcingReady = outer
    }

    /// Announces that `isReady` became false, where Foundation may have kept another answer.
    func announceUnready() {
        let state = currentLifecycle
        guard state.contains(.asked), state.isDisjoint(with: [.queued, .started]) else { return }
        announceReady(false)
        // The last dependency may have finished before Foundation kept what it had been told.
        if hasNoUnfinishedDependency { announceReady() }
    }

    /// Answers Foundation, and notes the answer, because Foundation keeps it.
    ///
    /// On Linux an `OperationQueue` keeps a "no" that it got before the dependencies finished even
    /// if it was told of the finish meanwhile; it asks again later and does not act on a "yes". So
    /// an unannounced "yes" after a "no" is announced once more. Apple's queues may do the same.
    var isReadyForFoundation: Bool {
        #if canImport(Darwin)
        let former = ThreadContext.current.pointee.formerReadiness
        if let former, former.operation == ObjectIdentifier(self) { return former.isReady }
        #endif
        let state = currentLifecycle
        guard !state.contains(.started) else { return hasNoUnfinishedDependency }
        if !state.contains(.asked) { note(.asked) }
        guard hasNoUnfinishedDependency else {
            if !state.contains(.refused) { note(.refused) }
            return false
        }
        let isAnnounced = ThreadContext.current.pointee.announcingReady == ObjectIdentifier(self)
        if state.contains(.refused), !isAnnounced {
            DispatchQueue.global().async { [weak self] in self?.repairReadiness() }
        }
        return true
    }

    /// Announces once more that the operation is ready.
    ///
    /// - Parameter isOnce: Whether what was refused before is settled by that. On Apple platforms,
    ///   where a queue may ask on a thread of its own after each announcement, there would be no end
    ///   of them otherwise; Linux's asks on the thread that announces.
    func repairReadiness(isOnce: Bool = OperationLifecycle.isRepairedOnce) {
        guard !currentLifecycle.contains(.started) else { return }
        announceReady()
        if isOnce { transition { $0.refusalSettled() } }
    }
}
