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
        didChangeValue(forKey: "isReady")
    }
}
