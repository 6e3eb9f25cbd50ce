import Dispatch
import Foundation

/// The only file that tells Foundation of a change, always with no lock held.
extension ConcurrentOperation {
    /// Makes `change`, which makes `isExecuting` true, between the notifications.
    @inline(__always)
    func announceExecuting() {
        // On Linux the notification of `isExecuting` has no effect that anybody can see, and costs
        // two locks and a comparison of strings.
        #if canImport(Darwin)
        willChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isExecuting")
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

    /// Announces that `isReady` became true.
    func announceReady() {
        #if canImport(Darwin)
        willChangeValue(forKey: "isReady")
        #endif
        let context = ThreadContext.current
        let outer = context.announcingReady
        context.announcingReady = ObjectIdentifier(self)
        didChangeValue(forKey: "isReady")
        context.announcingReady = outer
    }

    /// Announces that `isReady` became false, where Foundation may have kept another answer.
    func announceUnready() {
        let state = currentLifecycle
        guard state.contains(.asked), state.isDisjoint(with: [.queued, .started]) else { return }
        announceReady()
        // The last dependency may have finished before Foundation kept what it had been told.
        if hasNoUnfinishedDependency { announceReady() }
    }

    /// Answers Foundation, and notes the answer, because Foundation keeps it.
    ///
    /// On Linux an `OperationQueue` keeps a "no" that it got before the dependencies finished even
    /// if it was told of the finish meanwhile; it asks again later and does not act on a "yes". So
    /// a "yes" after a "no" that nobody announced is announced once more.
    var isReadyForFoundation: Bool {
        let state = currentLifecycle
        guard !state.contains(.started) else { return hasNoUnfinishedDependency }
        if !state.contains(.asked) { note(.asked) }
        guard hasNoUnfinishedDependency else {
            if !state.contains(.refused) { note(.refused) }
            return false
        }
        #if !canImport(Darwin)
        let isAnnounced = ThreadContext.current.announcingReady == ObjectIdentifier(self)
        if state.contains(.refused), !isAnnounced {
            DispatchQueue.global().async { [weak self] in self?.announceReady() }
        }
        #endif
        return true
    }

    private func note(_ bit: OperationLifecycle) {
        lifecycle.bitwiseOr(bit.rawValue, ordering: .acquiringAndReleasing)
    }
}
