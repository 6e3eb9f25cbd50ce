@testable import JobKit

/// One operation as its shell drives it: the word, what threads are still about to do, and what
/// has happened so far, told without the word.
struct LifecycleModel: Hashable {
    enum Event: CaseIterable {
        case start, mainSkipped, cancel, overrun, didCancelReturned
        case succeed, fail, finishWithCancellation, succeedInsideDidCancel
        case stored, endCarriedOut
    }

    enum Settled: Hashable { case byCancel, byOverrun }

    var word: OperationLifecycle = []

    // What a thread has been told to do and has not done.
    var isSkipping = false
    var isTelling = false
    var storing: OperationLifecycle?
    var isStoringInside = false
    var isEnding = false

    // What has happened.
    var starts = 0
    var mains = 0
    var tellings = 0
    var endings = 0
    var firstFinish: Event?
    var settled: Settled?
    var faults: Set<String> = []

    /// Makes the event happen; returns false where no thread can be at this point.
    mutating func apply(_ event: Event) -> Bool {
        let before = word
        switch event {
        case .start: start()
        case .mainSkipped:
            guard isSkipping else { return false }
            isSkipping = false
            grantEnd(word.mainSkipped())
        case .cancel:
            let wasOpen = endings == 0
            if stop(word.cancelCalled()) != wasOpen && settled == nil { fault("cancel lost") }
            if wasOpen, settled == nil { settled = .byCancel }
        case .overrun:
            if stop(word.runtimeOverrun()) { settled = .byOverrun }
        case .didCancelReturned:
            guard isTelling, !isStoringInside else { return false }
            isTelling = false
            grantEnd(word.didCancelReturned())
        case .succeed, .fail, .finishWithCancellation: finish(event, inside: false)
        case .succeedInsideDidCancel:
            guard isTelling, !isStoringInside else { return false }
            finish(.succeed, inside: true)
        case .stored:
            guard let brought = storing else { return false }
            let isInside = isStoringInside
            (storing, isStoringInside) = (nil, false)
            grantEnd(word.finishStored(brought, insideDidCancel: isInside), inside: isInside)
        case .endCarriedOut:
            guard isEnding else { return false }
            isEnding = false
            word.insert(.finished)
        }
        if !before.subtracting(.notifying).isSubset(of: word) { fault("a bit was taken back") }
        if before.contains(.ending), before.outcome != word.outcome { fault("outcome changed") }
        return true
    }

    private mutating func start() {
        let before = word
        switch word.startCalled() {
        case .refuseSecondStart:
            if starts == 0 || before != word { fault("first start refused") }
        case .enterMain:
            (starts, mains) = (starts + 1, mains + 1)
            if firstFinish != nil || settled != nil { fault("main after a cancel or finish") }
        case .skipMain:
            (starts, isSkipping) = (starts + 1, true)
            if firstFinish == nil, settled == nil { fault("main skipped for nothing") }
        }
    }

    private mutating func finish(_ event: Event, inside: Bool) {
        let isFirst = firstFinish == nil && endings == 0
        guard word.finishCalled() == isFirst else { return fault("first finish") }
        guard isFirst else { return }
        firstFinish = event
        isStoringInside = inside
        switch event {
        case .fail: storing = .withError
        case .finishWithCancellation: storing = .withCancellation
        default: storing = []
        }
    }

    /// Returns whether the operation took notice.
    private mutating func stop(_ decision: OperationLifecycle.Cancel) -> Bool {
        guard decision != .ignore else { return false }
        if decision == .announceAndTell {
            (tellings, isTelling) = (tellings + 1, true)
            if mains == 0 { fault("told before main") }
            if endings > 0 { fault("told after the end") }
        }
        return true
    }

    private mutating func grantEnd(_ isGranted: Bool, inside: Bool = false) {
        guard isGranted else { return }
        if storing != nil { fault("ended while the finish was being stored") }
        if isTelling, !inside { fault("ended while told of the cancel") }
        (endings, isEnding) = (endings + 1, true)
    }

    mutating func fault(_ text: String) { faults.insert(text) }
}
