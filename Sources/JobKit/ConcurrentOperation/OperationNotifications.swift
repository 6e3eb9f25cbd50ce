import Dispatch
import Foundation

#if canImport(Darwin)
private let isRepairedOnce = true
#else
private let isRepairedOnce = false
#endif

/// The only file that notifies Foundation of changes, which it always does with no lock held.
extension ConcurrentOperation {
    /// Announces that a transition makes `isExecuting` true, if `state` allows a start.
    func announceExecution<Result>(
        from state: OperationLifecycle,
        _ transition: () -> Result
    ) -> Result {
        // On Linux, the notification for `isExecuting` has no visible effect, but costs two locks
        // and a comparison of strings.
        #if canImport(Darwin)
        if state.mayEnterMain { willChangeValue(forKey: "isExecuting") }
        defer { if state.mayEnterMain { didChangeValue(forKey: "isExecuting") } }
        #endif
        return transition()
    }

    /// Announces that `isFinished` is about to become true.
    func announceWillFinish(wasExecuting: Bool) {
        #if canImport(Darwin)
        if wasExecuting { willChangeValue(forKey: "isExecuting") }
        willChangeValue(forKey: "isFinished")
        #endif
    }

    /// Announces that `isFinished` has become true.
    ///
    /// This wakes waiters, Foundation's dependents and the `OperationQueue`, and runs the
    /// `completionBlock`.
    func announceDidFinish(wasExecuting: Bool) {
        didChangeValue(forKey: "isFinished")
        #if canImport(Darwin)
        if wasExecuting { didChangeValue(forKey: "isExecuting") }
        #endif
    }

    /// Changes the value of `dependencies`, and announces it.
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
    /// - Parameter isReady: The new value. An observer that reads the old value receives the
    ///   opposite, although the state has changed earlier, when a dependency finished.
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

    /// Announces that `isReady` has become false, if Foundation may have kept another value.
    func announceUnready() {
        let flags = flags
        guard flags.contains(.readinessRead), !flags.contains(.queued),
            !currentLifecycle.contains(.started)
        else { return }
        announceReady(false)
        // The last dependency may have finished before Foundation stored the value that it read.
        if hasNoUnfinishedDependency { announceReady() }
    }

    /// Returns `isReady` to Foundation, and records the value because Foundation keeps it.
    ///
    /// On Linux, an `OperationQueue` keeps a false value that it read before the dependencies
    /// finished, even if their completion was announced in the meantime. It reads the property
    /// again later, but does not act on a true value. Therefore, a true value that follows a false
    /// one without an announcement is announced once more. Apple's queues may behave in the same
    /// way.
    var isReadyForFoundation: Bool {
        #if canImport(Darwin)
        let former = ThreadContext.current.pointee.formerReadiness
        if let former, former.operation == ObjectIdentifier(self) { return former.isReady }
        #endif
        guard !currentLifecycle.contains(.started) else { return hasNoUnfinishedDependency }
        let flags = flags
        if !flags.contains(.readinessRead) { setFlag(.readinessRead) }
        guard hasNoUnfinishedDependency else {
            if !flags.contains(.unreadinessRead) { setFlag(.unreadinessRead) }
            return false
        }
        let isAnnounced = ThreadContext.current.pointee.announcingReady == ObjectIdentifier(self)
        if flags.contains(.unreadinessRead), !isAnnounced {
            DispatchQueue.global().async { [weak self] in self?.repairReadiness() }
        }
        return true
    }

    /// Announces once more that the operation is ready.
    ///
    /// - Parameter isOnce: Whether this announcement settles earlier false values. On Apple
    ///   platforms, it must, because a queue may read the property on its own thread after each
    ///   announcement, and the announcements would never end. On Linux, a queue reads it on the
    ///   announcing thread.
    func repairReadiness(isOnce: Bool = isRepairedOnce) {
        guard !currentLifecycle.contains(.started) else { return }
        announceReady()
        if isOnce { clearFlag(.unreadinessRead) }
    }
}
