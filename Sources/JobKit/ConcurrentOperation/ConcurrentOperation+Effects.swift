import Foundation
import Synchronization

/// The shell around ``OperationLifecycle``: acts on its decisions with no lock held.
extension ConcurrentOperation {
    @inline(__always)
    var currentLifecycle: OperationLifecycle {
        OperationLifecycle(rawValue: lifecycle.load(ordering: .acquiring))
    }

    /// The name, or the type's where the user gave none.
    final var label: String { operationLabel(self) }

    @inline(__always)
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

    /// Finishes with `outcome` unless a finish came before; `store` keeps what it brought.
    func settle(_ outcome: OperationOutcome, store: () -> Void = {}) {
        guard transition({ $0.finishCalled() }) else { return }
        store()
        var brought: OperationLifecycle = []
        switch outcome {
        case .succeeded:
            if let error = errorOfMissingValue {
                storedError = error
                brought = .withError
            }
        case .failed(let error):
            storedError = error
            brought = error is CancellationError ? .withCancellation : .withError
        case .cancelled:
            brought = .withCancellation
        }
        let isInside =
            currentLifecycle.contains(.notifying)
            && ThreadContext.current.tellingOfCancel == ObjectIdentifier(self)
        if transition({ $0.finishStored(brought, insideDidCancel: isInside) }) { end() }
    }

    /// Announces a cancel or an overrun, and tells the subclass if it is executing.
    func carryOut(_ decision: OperationLifecycle.Cancel) {
        switch decision {
        case .ignore:
            break
        case .announce:
            announceCancel()
            if currentLifecycle.isCancelledBeforeMain { tellThatMainNeverRuns() }
        case .announceAndTell:
            announceCancel()
            let context = ThreadContext.current
            let outer = context.tellingOfCancel
            context.tellingOfCancel = ObjectIdentifier(self)
            tellOfCancel()
            context.tellingOfCancel = outer
            if transition({ $0.didCancelReturned() }) { end() }
        }
    }

    /// Carries out the end; the lifecycle grants it to one caller.
    func end() {
        var mail: JobEffects?
        end(claimedMail: &mail, isInsideJobKit: false)
    }

    /// Carries out the end.
    ///
    /// - Parameters:
    ///   - claimedMail: Becomes a job that the caller must deliver to, where it can.
    ///   - isInsideJobKit: Whether the caller has no code of the user's below it on the stack.
    func end(claimedMail: inout JobEffects?, isInsideJobKit: Bool) {
        let wasExecuting = currentLifecycle.contains(.executing)
        announceWillFinish(wasExecuting: wasExecuting)
        lifecycle.bitwiseOr(OperationLifecycle.finished.rawValue, ordering: .acquiringAndReleasing)
        let context = ThreadContext.current
        let isOwnStart = context.starting == ObjectIdentifier(self)
        let isWorkers = context.startedByWorker == ObjectIdentifier(self)
        let taken = hooks.withLock { $0.close(takesQueue: !isWorkers) }

        func tell(_ record: TaskRecord) {
            record.effects.taskFinished(record)
            if isInsideJobKit, claimedMail == nil {
                if record.effects.claimDelivery() { claimedMail = record.effects }
            } else if isOwnStart, deferredDelivery == nil {
                deferredDelivery = .ofTask(record)
            } else {
                record.effects.deliverElsewhere()
            }
        }
        becameFinished()
        if let subscriber = taken.listeners.subscriber { tell(subscriber) }
        if let others = taken.listeners.others {
            for subscriber in others.subscribers { tell(subscriber) }
            for dependent in others.dependents { dependent.dependencyGone() }
        }
        announceDidFinish(wasExecuting: wasExecuting)
        taken.timers?.cancelAll()
        if isWorkers {
            deferredWaiters = taken.listeners.others?.waiters
        } else {
            taken.queue?.operationFinished(self)
            for waiter in taken.listeners.others?.waiters ?? [] { waiter.resume() }
        }
    }

    /// Resumes those who waited for what finished inside a worker's `start()`, after its place was
    /// given away.
    func resumeDeferredWaiters() {
        guard let waiters = deferredWaiters else { return }
        deferredWaiters = nil
        for waiter in waiters { waiter.resume() }
    }

    /// Delivers what finished inside `start()`, unless the worker that called it does.
    func leave(_ context: ThreadContext, _ outer: ObjectIdentifier?) {
        context.starting = outer
        guard context.startedByWorker != ObjectIdentifier(self) else { return }
        takeDeferredDelivery()?.effects.deliverHere()
    }

    func takeDeferredDelivery() -> DeferredDelivery? { deferredDelivery.take() }

    private func announceCancel() {
        super.cancel()
        hooks.withLock { $0.queue }?.operationBecameReady(self)
        readinessChanged()
    }

    private func tellThatMainNeverRuns() {
        for waiter in hooks.withLock({ $0.cancelledBeforeMain() }) { waiter.resume() }
    }
}
