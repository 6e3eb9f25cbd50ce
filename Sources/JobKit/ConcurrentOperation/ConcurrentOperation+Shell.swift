import Dispatch
import Foundation
import Synchronization

/// The shell around ``OperationLifecycle``, which acts on its decisions with no lock held.
extension ConcurrentOperation {
    var currentLifecycle: OperationLifecycle {
        OperationLifecycle(rawValue: lifecycle.load(ordering: .acquiring))
    }

    var flags: OperationFlags { OperationFlags(rawValue: lifecycle.load(ordering: .acquiring)) }

    /// The name, or the name of the type if the operation has no name.
    package final var label: String { operationLabel(self) }

    func transition<Decision>(_ change: (inout OperationLifecycle) -> Decision) -> Decision {
        var current = lifecycle.load(ordering: .acquiring)
        while true {
            var changed = OperationLifecycle(rawValue: current)
            let decision = change(&changed)
            if changed.rawValue == current { return decision }
            let (exchanged, original) = lifecycle.weakCompareExchange(
                expected: current,
                desired: changed.rawValue,
                ordering: .acquiringAndReleasing
            )
            if exchanged { return decision }
            current = original
        }
    }

    func setFlag(_ flag: OperationFlags) {
        lifecycle.bitwiseOr(flag.rawValue, ordering: .acquiringAndReleasing)
    }

    func clearFlag(_ flag: OperationFlags) {
        lifecycle.bitwiseAnd(~flag.rawValue, ordering: .acquiringAndReleasing)
    }

    /// Records an event that needs no decision.
    func record(_ event: OperationLifecycle) {
        lifecycle.bitwiseOr(event.rawValue, ordering: .acquiringAndReleasing)
    }

    /// Finishes with `outcome`, unless the operation has already finished.
    ///
    /// - Parameters:
    ///   - outcome: The outcome that was requested.
    ///   - hasValue: Whether `store` saves a value, so that none can be missing.
    ///   - store: Saves the value. Called only if this call is the first to finish the operation.
    func resolve(_ outcome: OperationOutcome, hasValue: Bool = false, store: () -> Void = {}) {
        guard transition({ $0.finishCalled() }) else { return }
        store()
        var flags: OperationLifecycle = []
        switch outcome {
        case .succeeded:
            if !hasValue, let error = errorOfMissingValue {
                storedError = error
                flags = .withError
            }
        case .failed(let error):
            storedError = error
            flags = error is CancellationError ? .withCancellation : .withError
        case .cancelled:
            flags = .withCancellation
        }
        if flags == .withCancellation, transition({ $0.finishedWithCancellation() }) {
            announceCancel()
        }
        if transition({ $0.finishStored(flags) }) { end() }
    }

    /// Announces a cancellation or a timeout, and calls `didCancel()` if the operation is
    /// executing.
    func carryOut(_ action: OperationLifecycle.CancelAction) {
        guard action != .ignore else { return }
        if action != .announce { recordStopRequest() }
        announceCancel()
        switch action {
        case .ignore, .announce: break
        case .announceAndSkipMain:
            // The thread that starts a job ends it.
            if !isJob, transition({ $0.mainSkipped() }) { end() }
        case .announceAndCallDidCancel:
            callDidCancel()
            if transition({ $0.didCancelReturned() }) { end() }
        }
    }

    /// Enters `main()`, unless the operation was cancelled, timed out or finished since its start.
    func enterMain() {
        if transition({ $0.mainEntering() }) { main() } else { skipMain() }
    }

    /// Ends a started operation without entering `main()`.
    func skipMain() {
        CancelSweep.waitForBars()
        startedWithoutMain()
    }

    /// Completes the operation, and notifies its listeners, dependents and waiters.
    ///
    /// The lifecycle allows only one caller to do this.
    ///
    /// - Parameter isInsideJobKit: Whether no user code is below the caller on the stack. In that
    ///   case, the caller must deliver to the result.
    /// - Returns: A job to deliver to.
    @discardableResult
    func end(isInsideJobKit: Bool = false) -> (any CallbackDelivery)? {
        var claimed: (any CallbackDelivery)?
        // `explainStall` shows how long `willFinish()` has been running.
        stopRequestedAt.store(max(1, CoarseTime.now.rawValue), ordering: .relaxed)
        willFinish()
        let wasExecuting = currentLifecycle.contains(.executing)
        announceWillFinish(wasExecuting: wasExecuting)
        record(.finished)
        // A waiter that is added now still waits until the job's observers were notified of the
        // completion.
        becameFinished()
        let context = ThreadContext.current
        let isOwnStart = context.pointee.frame.isOf(self)
        let isStartedByWorker = isOwnStart && context.pointee.frame.isStartedByWorker
        let taken = hooks.withLock { $0.close(takesQueue: !isStartedByWorker) }
        if isOwnStart { context.pointee.frame.hasEnded = true }

        taken.subscribers.notifyListeners(hasFailed: currentLifecycle.hasFailed) { listener in
            if isInsideJobKit, claimed == nil {
                if listener.claimDelivery() { claimed = listener }
                return true
            }
            return isOwnStart && context.pointee.frame.take(listener)
        }
        announceDidFinish(wasExecuting: wasExecuting)
        // Plain dependents become ready only after Foundation has notified them.
        taken.subscribers.endDependents()
        if flags.contains(.isTimed) { endTimers() }
        if isStartedByWorker {
            context.pointee.frame.waiters = taken.subscribers.waiters
        } else {
            taken.queue?.operationFinished(self)
            taken.subscribers.resumeWaiters()
        }
        return claimed
    }

    /// Notifies the observers of the start, before the start becomes visible.
    ///
    /// The jobs that track the operation are notified only if it may enter `main()`. A job's own
    /// observers are always notified, because they receive every end, too.
    func notifyOfStart(entersMain: Bool) {
        startIsObserved()
        // A job may have decided to end although its lifecycle does not show it yet.
        guard entersMain, !callsNothingMore else { return }
        for listener in hooks.withLock({ $0.subscribers.listeners }) { listener.operationStarts() }
    }

    /// Runs the code of `start()` in a frame of this thread, and then delivers.
    ///
    /// If JobKit called `start()` on this thread, the frame exists, and JobKit delivers itself.
    func inFrame(_ body: () -> Void) {
        let context = ThreadContext.current
        guard !context.pointee.frame.isOf(self) else { return body() }
        context.start(in: StartFrame(self), body).delivery?.deliverHere()
    }

    /// Announces that `isCancelled` has become true.
    func announceCancel() {
        super.cancel()
        let willNeverRun = currentLifecycle.isCancelledBeforeStart
        let (waiters, queue) = hooks.withLock { hooks in
            (willNeverRun ? hooks.cancelledBeforeStart() : [], hooks.queue)
        }
        for waiter in waiters { waiter.resume() }
        queue?.operationCancelled(self)
        readinessChanged()
    }
}
