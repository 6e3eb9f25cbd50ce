import Dispatch
import Foundation
import Synchronization

/// The shell around ``OperationLifecycle``: acts on its decisions with no lock held.
extension ConcurrentOperation {
    @inline(__always)
    var currentLifecycle: OperationLifecycle {
        OperationLifecycle(rawValue: lifecycle.load(ordering: .acquiring))
    }

    /// The name, or the name of the type if there is none.
    package final var label: String { operationLabel(self) }

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

    /// Notes what no transition decides about.
    @inline(__always)
    func note(_ fact: OperationLifecycle) {
        lifecycle.bitwiseOr(fact.rawValue, ordering: .acquiringAndReleasing)
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
        if brought == .withCancellation, transition({ $0.cancellationBrought() }) {
            announceCancel()
        }
        if transition({ $0.finishStored(brought) }) { end() }
    }

    /// Announces a cancel or an overrun, and tells the subclass if it is executing.
    func carryOut(_ decision: OperationLifecycle.Cancel) {
        switch decision {
        case .ignore:
            break
        case .announce:
            announceCancel()
        case .announceAndSkipMain:
            announceCancel()
            mainSkippedByCancel()
        case .announceAndTell:
            announceCancel()
            tellOfCancel()
            if transition({ $0.didCancelReturned() }) { end() }
        }
    }

    /// Finishes the operation although its work has not stopped.
    func abandon() {
        if transition({ $0.stopTimePassed() }) == .end { end() }
    }

    /// Whether any thread may start the operation, one of Swift's few included.
    var mayStartOnAnyThread: Bool {
        startsTask && currentLifecycle.isDisjoint(with: [.observed, .inContext, .prioritized])
    }

    /// Enters `main()`, unless a cancel, an overrun or a finish has come since the start.
    ///
    /// Written out, so that as little as possible lies between the decision and the call.
    func enterMain() {
        var current = lifecycle.load(ordering: .acquiring)
        while true {
            var entered = OperationLifecycle(rawValue: current)
            guard entered.mainEntering() else { return startedWithoutMain() }
            let (exchanged, original) = lifecycle.weakCompareExchange(
                expected: current,
                desired: entered.rawValue,
                ordering: .acquiringAndReleasing
            )
            if exchanged { return main() }
            current = original
        }
    }

    /// Carries out the end; the lifecycle grants it to one caller.
    func end() {
        var claimed: (any CallbackDelivery)?
        end(claimed: &claimed, isInsideJobKit: false)
    }

    /// Carries out the end.
    ///
    /// - Parameters:
    ///   - claimed: Becomes a job that the caller must deliver to, where it can.
    ///   - isInsideJobKit: Whether the caller has no code of the user's below it on the stack.
    func end(claimed: inout (any CallbackDelivery)?, isInsideJobKit: Bool) {
        // `explainStall` shows since when `willFinish()` has not returned.
        stopRequestedAt.store(max(1, CoarseTime.now.rawValue), ordering: .relaxed)
        willFinish()
        let wasExecuting = currentLifecycle.contains(.executing)
        announceWillFinish(wasExecuting: wasExecuting)
        note(.finished)
        // A waiter that comes now still waits until the job's observers have heard of the finish.
        becameFinished()
        let context = ThreadContext.current
        let isOwnStart = context.pointee.frame.isOf(self)
        let isStartedByWorker = isOwnStart && context.pointee.frame.isStartedByWorker
        let taken = hooks.withLock { $0.close(takesQueue: !isStartedByWorker) }
        if isOwnStart { context.pointee.frame.hasEnded = true }

        let hasFailed = currentLifecycle.hasFailed

        func tell(_ listener: OperationListener) {
            listener.operationFinished(hasFailed: hasFailed)
            if isInsideJobKit, claimed == nil {
                if listener.claimDelivery() { claimed = listener }
            } else if isOwnStart, context.pointee.frame.delivery == nil {
                context.pointee.frame.delivery = listener
            } else {
                listener.deliverElsewhere()
            }
        }
        var rechecks: [ReadinessRecheck] = []
        if let listener = taken.audience.listener { tell(listener) }
        if let others = taken.audience.others.value {
            for listener in others.listeners.present { tell(listener) }
            rechecks = ReadinessRecheck.collect {
                for dependent in others.dependents.elements { dependent.end() }
            }
        }
        announceDidFinish(wasExecuting: wasExecuting)
        // Plain dependents are ready only since Foundation has told them.
        ReadinessRecheck.run(rechecks)
        taken.timers?.cancelAll()
        if isStartedByWorker {
            context.pointee.frame.waiters = taken.audience.others.read { $0.waiters }
        } else {
            taken.queue?.operationFinished(self)
            for waiter in taken.audience.others.read({ $0.waiters }) ?? [] { waiter.resume() }
        }
    }

    /// Changes the hooks by what may bring a listener, and then notes whether it has company.
    ///
    /// The queue stores the operation and then reads this flag. A listener's job sets this flag and
    /// then looks at the queue. Both are sequentially consistent, and the flag is set before the
    /// lock is released: at least one sees the other.
    @inline(__always)
    func addingListener<Result>(_ body: (inout OperationHooks) -> Result) -> Result {
        hooks.withLock { hooks in
            let result = body(&hooks)
            if hooks.isShared {
                lifecycle.bitwiseOr(
                    OperationLifecycle.isShared.rawValue,
                    ordering: .sequentiallyConsistent
                )
            }
            return result
        }
    }

    /// Whether several jobs track the operation, or have.
    var isShared: Bool {
        OperationLifecycle(rawValue: lifecycle.load(ordering: .sequentiallyConsistent))
            .contains(.isShared)
    }

    /// Tells of the start, before anybody can see it: the jobs that track the operation, if it may
    /// enter `main()`, and a job's own observers, who are told of every end too.
    func tellOfStart(entersMain: Bool) {
        startIsObserved()
        // A job may have decided upon its end, which its lifecycle does not know yet.
        guard entersMain, !callsNothingMore else { return }
        for listener in hooks.withLock({ $0.audience.listeners }) { listener.operationStarts() }
    }

    /// Does what `start()` does in a frame of the thread, and delivers then.
    ///
    /// Where JobKit called `start()` on this thread, it has made the frame and delivers itself.
    @inline(__always)
    func inFrame(_ body: () -> Void) {
        let context = ThreadContext.current
        guard !context.pointee.frame.isOf(self) else { return body() }
        context.start(in: StartFrame(self), body).delivery?.deliverHere()
    }

    /// Announces that `isCancelled` has become true.
    func announceCancel() {
        super.cancel()
        let waiters =
            currentLifecycle.isCancelledBeforeStart
            ? hooks.withLock { $0.cancelledBeforeStart() } : []
        for waiter in waiters { waiter.resume() }
        hooks.withLock { $0.queue }?.operationCancelled(self)
        readinessChanged()
    }
}
