@testable import JobKit

/// A model of an operation's state: its state word, the pending actions of threads, and the
/// history.
///
/// The history is recorded independently of the state word.
struct LifecycleModel: Hashable {
    enum Event: CaseIterable {
        case bar, start, mainEntering, mainSkipped, cancel, overrun, didCancelReturned
        case succeed, fail, finishWithCancellation
        case cancellationBrought, stored, endCarriedOut
        // A job decides itself how it ends, and no finish is stored.
        case decideToFail, decideToComplete, decideToBeCancelled, decidedEndDue
        // The time to stop has passed for an operation that is not a job.
        case passStopTime
    }

    enum Settled: Hashable { case byCancel, byOverrun }

    var word: OperationLifecycle = []

    // An action that a thread must still perform.
    var isPreparing = false
    var skips = 0
    var isTelling = false
    var storing: OperationLifecycle?
    var isCancellationDue = false
    var isDecidedEndDue = false
    var isEnding = false

    // The history of the operation.
    var starts = 0
    var mains = 0
    var tellings = 0
    var endings = 0
    var firstFinish: Event?
    var decision: Event?
    var settled: Settled?
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
                if settled != nil || !isBarred { fault("cancelled again") }
                settled = .byCancel
            }
            grantEnd(word.mainSkipped())
        case .cancel: cancel()
        case .overrun:
            if stop(word.runtimeOverrun()) { settled = .byOverrun }
        case .didCancelReturned:
            guard isTelling else { return false }
            isTelling = false
            grantEnd(word.didCancelReturned())
        case .succeed, .fail, .finishWithCancellation:
            guard decision == nil else { return false }
            finish(event)
        case .cancellationBrought:
            guard isCancellationDue else { return false }
            isCancellationDue = false
            if word.cancellationBrought() != (settled == nil) { fault("cancellation lost") }
            settled = settled ?? .byCancel
        case .stored:
            guard let brought = storing, !isCancellationDue else { return false }
            storing = nil
            grantEnd(word.finishStored(brought))
        case .decideToFail, .decideToComplete, .decideToBeCancelled:
            guard mains == 1, firstFinish == nil, endings == 0, decision == nil, !isAbandoned
            else { return false }
            decide(event)
        case .passStopTime:
            guard decision == nil else { return false }
            passStopTime()
        case .decidedEndDue:
            guard isDecidedEndDue else { return false }
            isDecidedEndDue = false
            grantEnd(word.decidedEndDue())
        case .endCarriedOut:
            guard isEnding else { return false }
            isEnding = false
            word.insert(.finished)
        }
        if !before.subtracting(.notifying).isSubset(of: word) { fault("a bit was taken back") }
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
            if firstFinish != nil || settled != nil || isBarred {
                fault("prepared after a cancel or finish")
            }
        case .skipMain:
            (starts, skips) = (starts + 1, skips + 1)
            if firstFinish == nil, settled == nil, !isBarred { fault("main skipped for nothing") }
        }
    }

    private mutating func enter() {
        if word.mainEntering() {
            mains += 1
            if firstFinish != nil || settled != nil || isBarred {
                fault("main after a cancel or finish")
            }
            if endings > 0 { fault("main after the end") }
        } else {
            skips += 1
            if firstFinish == nil, settled == nil, !isBarred { fault("main skipped for nothing") }
        }
    }

    private mutating func cancel() {
        let counts = !word.contains(.finished) && settled == nil && !isCancelledLate
        if stop(word.cancelCalled()) != counts { fault("cancel lost") }
        guard counts else { return }
        if endings > 0 || decision != nil { isCancelledLate = true } else { settled = .byCancel }
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
        let wasCancelled = settled != nil
        let brought: OperationLifecycle =
            switch event {
            case .decideToFail: .withError
            case .decideToBeCancelled: .withCancellation
            default: []
            }
        switch word.endDecided(brought, unlessCancelled: event == .decideToComplete) {
        case .refused:
            if event != .decideToComplete || !wasCancelled { fault("decision refused") }
        case .taken:
            if event == .decideToComplete, wasCancelled { fault("completed though cancelled") }
            if event == .decideToBeCancelled, !wasCancelled { fault("not told of the cancel") }
            (decision, isDecidedEndDue) = (event, true)
        case .takenAsCancel:
            if event != .decideToBeCancelled || wasCancelled { fault("told of a cancel twice") }
            (decision, isDecidedEndDue, settled) = (event, true, .byCancel)
        }
    }

    private mutating func passStopTime() {
        let wasTold = starts == 1 && settled != nil && endings == 0
        switch word.stopTimePassed() {
        case .ignore:
            if wasTold, !word.contains(.abandoned) { fault("not abandoned") }
            return
        case .end:
            isAbandoned = true
            grantEnd(true)
        case .left:
            if firstFinish == nil { fault("nobody ends it") }
        }
        if !wasTold { fault("abandoned before it was asked to stop") }
        isAbandoned = true
    }

    /// Returns whether the cancellation had an effect.
    private mutating func stop(_ decision: OperationLifecycle.Cancel) -> Bool {
        switch decision {
        case .ignore: return false
        case .announce: break
        case .announceAndSkipMain:
            skips += 1
            if starts == 0 || mains > 0 { fault("main skipped in vain") }
        case .announceAndTell:
            (tellings, isTelling) = (tellings + 1, true)
            if mains == 0 { fault("told before main") }
            if endings > 0 { fault("told after the end") }
        }
        return true
    }

    private mutating func grantEnd(_ isGranted: Bool) {
        guard isGranted else { return }
        if storing != nil || isDecidedEndDue { fault("ended while the end was being stored") }
        if isTelling, !isAbandoned { fault("ended while told of the cancel") }
        (endings, isEnding) = (endings + 1, true)
    }

    mutating func fault(_ text: String) { faults.insert(text) }
}
