@testable import JobKit

/// A model of an operation's state: its state word, the pending actions of threads, and the
/// history.
///
/// The history is recorded independently of the state word.
struct LifecycleModel: Hashable {
    enum Event: CaseIterable {
        case bar, start, mainEntering, mainSkipped, cancel, runtimePassed, didCancelReturned
        case succeed, fail, finishWithCancellation
        case finishedWithCancellation, stored, endCarriedOut
        // A job decides itself how it ends, and no finish is stored.
        case decideToFail, decideToComplete, decideToBeCancelled, decisionStored
        // The time to stop has passed for an operation that is not a job.
        case passStopTime
    }

    enum SettledBy: Hashable { case cancel, timeout }

    var word: OperationLifecycle = []

    // An action that a thread must still perform.
    var isPreparing = false
    var skips = 0
    var isInDidCancel = false
    var storing: OperationLifecycle?
    var isCancellationDue = false
    var isDecisionStoring = false
    var isEnding = false

    // The history of the operation.
    var starts = 0
    var mains = 0
    var didCancelCalls = 0
    var endings = 0
    var firstFinish: Event?
    var decision: Event?
    var settledBy: SettledBy?
    /// The operation was cancelled after the outcome was decided.
    var isCancelledLate = false
    var isAbandoned = false
    var isBarred = false
    var faults: Set<String> = []

    /// Performs the event.
    ///
    /// - Returns: False if no thread can be at this point.
    mutating func apply(_ event: Event) -> Bool {
        let before = word
        switch event {
        case .bar:
            guard !isBarred, decision == nil, storing == nil else { return false }
            word.insert(.barred)
            isBarred = true
        case .start: start()
        case .mainEntering:
            guard isPreparing else { return false }
            isPreparing = false
            enter()
        case .mainSkipped:
            guard skips > 0 else { return false }
            skips -= 1
            if word.barredOperationEnds() {
                if settledBy != nil || !isBarred { fault("cancelled again") }
                settledBy = .cancel
            }
            grantEnd(word.mainSkipped())
        case .cancel: cancel()
        case .runtimePassed:
            if stop(word.runtimePassed()) { settledBy = .timeout }
        case .didCancelReturned:
            guard isInDidCancel else { return false }
            isInDidCancel = false
            grantEnd(word.didCancelReturned())
        case .succeed, .fail, .finishWithCancellation:
            guard decision == nil else { return false }
            finish(event)
        case .finishedWithCancellation:
            guard isCancellationDue else { return false }
            isCancellationDue = false
            if word.finishedWithCancellation() != (settledBy == nil) { fault("cancellation lost") }
            settledBy = settledBy ?? .cancel
        case .stored:
            guard let flags = storing, !isCancellationDue else { return false }
            storing = nil
            grantEnd(word.finishStored(flags))
        case .decideToFail, .decideToComplete, .decideToBeCancelled:
            guard mains == 1, firstFinish == nil, endings == 0, decision == nil, !isAbandoned,
                event != .decideToComplete || settledBy == nil
            else { return false }
            decide(event)
        case .passStopTime:
            guard decision == nil else { return false }
            passStopTime()
        case .decisionStored:
            guard isDecisionStoring else { return false }
            isDecisionStoring = false
            grantEnd(word.decisionStored())
        case .endCarriedOut:
            guard isEnding else { return false }
            isEnding = false
            word.insert(.finished)
        }
        if !before.subtracting(.callingDidCancel).isSubset(of: word) {
            fault("a bit was taken back")
        }
        // O12
        if !before.isDisjoint(with: [.decided, .ending]), before.outcome != word.outcome {
            fault("outcome changed")
        }
        if !before.isDisjoint(with: [.decided, .ending]), before.outcome == nil {
            fault("no outcome although it is decided")
        }
        return true
    }

    private mutating func start() {
        let before = word
        switch word.startCalled() {
        case .refuseSecondStart:
            if starts == 0 || before != word { fault("first start refused") }
        case .prepareMain:
            (starts, isPreparing) = (starts + 1, true)
            if firstFinish != nil || settledBy != nil || isBarred {
                fault("prepared after a cancel or finish")
            }
        case .skipMain:
            (starts, skips) = (starts + 1, skips + 1)
            if firstFinish == nil, settledBy == nil, !isBarred { fault("main skipped for nothing") }
        }
    }

    private mutating func enter() {
        if word.mainEntering() {
            mains += 1
            if firstFinish != nil || settledBy != nil || isBarred {
                fault("main after a cancel or finish")
            }
            if endings > 0 { fault("main after the end") }
        } else {
            skips += 1
            if firstFinish == nil, settledBy == nil, !isBarred { fault("main skipped for nothing") }
        }
    }

    private mutating func cancel() {
        let counts = !word.contains(.finished) && settledBy == nil && !isCancelledLate
        if stop(word.cancelCalled()) != counts { fault("cancel lost") }
        guard counts else { return }
        if endings > 0 || decision != nil { isCancelledLate = true } else { settledBy = .cancel }
    }

    private mutating func finish(_ event: Event) {
        let isFirst = firstFinish == nil && endings == 0
        guard word.finishCalled() == isFirst else { return fault("first finish") }
        guard isFirst else { return }
        firstFinish = event
        switch event {
        case .fail: storing = .withError
        case .finishWithCancellation: (storing, isCancellationDue) = (.withCancellation, true)
        default: storing = []
        }
    }

    private mutating func decide(_ event: Event) {
        let wasCancelled = settledBy != nil
        let flags: OperationLifecycle =
            switch event {
            case .decideToFail: .withError
            case .decideToBeCancelled: .withCancellation
            default: []
            }
        switch word.endDecided(flags) {
        case .refused:
            fault("decision refused")
        case .taken:
            if event == .decideToBeCancelled, !wasCancelled { fault("cancellation not announced") }
            (decision, isDecisionStoring) = (event, true)
        case .takenAsCancel:
            if event != .decideToBeCancelled || wasCancelled {
                fault("cancellation announced twice")
            }
            (decision, isDecisionStoring, settledBy) = (event, true, .cancel)
        }
    }

    private mutating func passStopTime() {
        let wasAskedToStop = starts == 1 && settledBy != nil && endings == 0
        let before = word
        let ends = word.stopTimePassed()
        guard ends || word != before else {
            if wasAskedToStop, !word.contains(.abandoned) { fault("not abandoned") }
            return
        }
        if ends {
            isAbandoned = true
            grantEnd(true)
        } else if firstFinish == nil {
            fault("nobody ends it")
        }
        if !wasAskedToStop { fault("abandoned before it was asked to stop") }
        isAbandoned = true
    }

    /// Returns whether the cancellation had an effect.
    private mutating func stop(_ decision: OperationLifecycle.CancelAction) -> Bool {
        switch decision {
        case .ignore: return false
        case .announce: break
        case .announceAndSkipMain:
            skips += 1
            if starts == 0 || mains > 0 { fault("main skipped in vain") }
        case .announceAndCallDidCancel:
            (didCancelCalls, isInDidCancel) = (didCancelCalls + 1, true)
            if mains == 0 { fault("didCancel before main") }
            if endings > 0 { fault("didCancel after the end") }
        }
        return true
    }

    private mutating func grantEnd(_ isGranted: Bool) {
        guard isGranted else { return }
        if storing != nil || isDecisionStoring { fault("ended while the end was being stored") }
        if isInDidCancel, !isAbandoned { fault("ended during didCancel") }
        (endings, isEnding) = (endings + 1, true)
    }

    mutating func fault(_ text: String) { faults.insert(text) }
}
