import Testing

@testable import JobKit

@Suite struct OperationLifecycleTests {
    typealias Life = OperationLifecycle

    @Test func startEntersMain() {
        var life: Life = []
        #expect(life.mayEnterMain == true)
        #expect(life.startCalled() == .prepareMain)
        #expect(life == [.started, .executing])
        #expect(life.mainEntering() == true)
        #expect(life == [.started, .executing, .entered])
    }

    // O5: a cancellation between the start and `main()` ends the operation without `main()` and
    // without `didCancel()`.
    @Test func cancelBetweenStartAndMainSkipsMain() {
        var life: Life = []
        #expect(life.startCalled() == .prepareMain)
        #expect(life.cancelCalled() == .announceAndSkipMain)
        #expect(life.mainSkipped() == true)
        #expect(life.mainEntering() == false)
        #expect(life.mainSkipped() == false)
        #expect(life.outcome == .cancelled)
    }

    // O8: the same for a timeout, which is not lost.
    @Test func timeoutBetweenStartAndMainSkipsMain() {
        var life: Life = []
        #expect(life.startCalled() == .prepareMain)
        #expect(life.runtimePassed() == .announceAndSkipMain)
        #expect(life.mainEntering() == false)
        #expect(life.mainSkipped() == true)
        #expect(life.outcome == .timedOut)
    }

    // O2: the same for `finish`.
    @Test func finishBetweenStartAndMainSkipsMain() {
        var life: Life = []
        #expect(life.startCalled() == .prepareMain)
        #expect(life.finishCalled() == true)
        #expect(life.mainEntering() == false)
        #expect(life.mainSkipped() == false)
        #expect(life.finishStored([]) == true)
        #expect(life.outcome == .succeeded)
    }

    // O3: a finish with a cancellation error cancels the operation once.
    @Test func finishWithCancellationErrorCancels() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.finishCalled() == true)
        #expect(life.finishedWithCancellation() == true)
        #expect(life.cancelCalled() == .ignore)
        #expect(life.finishedWithCancellation() == false)
        #expect(life.finishStored(.withCancellation) == true)
        #expect(life.contains(.cancelled))
    }

    // O7
    @Test func secondStartIsRefused() {
        var life: Life = [.started, .entered, .executing, .claimed, .stored, .ending, .finished]
        let before = life
        #expect(life.startCalled() == .refuseSecondStart)
        #expect(life == before)
    }

    // O2
    @Test func finishBeforeStartEndsAtTheStart() {
        var life: Life = []
        #expect(life.finishCalled() == true)
        #expect(life.finishStored([]) == false)
        #expect(life.startCalled() == .skipMain)
        #expect(life.mainSkipped() == true)
        #expect(life.outcome == .succeeded)
    }

    // O2
    @Test func secondFinishIsIgnored() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.finishCalled() == true)
        #expect(life.finishCalled() == false)
        #expect(life.finishStored(.withError) == true)
        #expect(life.outcome == .failed)
    }

    // O4
    @Test func cancelBeforeStartEndsAtTheStartWithoutMain() {
        var life: Life = []
        #expect(life.cancelCalled() == .announce)
        #expect(life.isCancelledBeforeStart)
        #expect(life.startCalled() == .skipMain)
        #expect(life.mainSkipped() == true)
        #expect(life.outcome == .cancelled)
    }

    // O2, O4: the payload of a finish is stored before the operation is finished.
    @Test func startDuringAFinishLeavesTheEndToTheFinish() {
        var life: Life = .cancelled
        #expect(life.finishCalled() == true)
        #expect(life.startCalled() == .skipMain)
        #expect(life.mainSkipped() == false)
        #expect(life.finishStored([]) == true)
        #expect(life.outcome == .cancelled)
    }

    // O5
    @Test func finishDuringDidCancelWaitsForItsReturn() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.cancelCalled() == .announceAndCallDidCancel)
        #expect(life.finishCalled() == true)
        #expect(life.finishStored([]) == false)
        #expect(life.didCancelReturned() == true)
    }

    // O8
    @Test(arguments: [Life.withError, .withCancellation, []])
    func timeoutDecidesTheOutcome(flags: Life) {
        var life: Life = [.started, .entered, .executing]
        #expect(life.runtimePassed() == .announceAndCallDidCancel)
        #expect(life.contains(.cancelled))
        #expect(life.cancelCalled() == .ignore)
        #expect(life.didCancelReturned() == false)
        #expect(life.finishCalled() == true)
        #expect(life.finishStored(flags) == true)
        #expect(life.outcome == .timedOut)
    }

    // O8: not before the start, nor after a cancellation or a finish.
    @Test(arguments: [
        [], [Life.started, .entered, .cancelled], [.started, .entered, .claimed],
        [.started, .entered, .claimed, .stored, .ending],
    ])
    func timeoutIsIgnored(life: Life) {
        var life = life
        let before = life
        #expect(life.runtimePassed() == .ignore)
        #expect(life == before)
    }

    // O3
    @Test func cancelAfterTheEndIsIgnored() {
        var life: Life = [.started, .entered, .claimed, .stored, .ending, .decided, .finished]
        #expect(life.cancelCalled() == .ignore)
        #expect(life.outcome == .succeeded)
    }

    @Test func endIsDecidedOnce() {
        var life: Life = [.started, .entered, .executing, .cancelled]
        #expect(life.endDecided(.withError) == .taken)
        #expect(life.endDecided([]) == .refused)
        #expect(life.decisionStored() == true)
        #expect(life.outcome == .failed)
    }

    // O5: a job's decided ending waits for `didCancel()` too.
    @Test func decidedEndWaitsForDidCancel() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.cancelCalled() == .announceAndCallDidCancel)
        #expect(life.endDecided(.withError) == .taken)
        #expect(life.decisionStored() == false)
        #expect(life.didCancelReturned() == true)
        #expect(life.outcome == .failed)
    }

    // O12: a cancellation after the decision sets `isCancelled` and changes nothing else.
    @Test func cancelBetweenTheDecisionAndTheEndOnlySetsIsCancelled() {
        var job: Life = [.started, .entered, .executing]
        #expect(job.endDecided([]) == .taken)
        #expect(job.cancelCalled() == .announce)
        #expect(job.contains(.cancelled))
        #expect(job.decisionStored() == true)
        #expect(job.outcome == .succeeded)
        var operation: Life = [.started, .entered, .executing]
        #expect(operation.finishCalled() == true)
        #expect(operation.finishStored(.withError) == true)
        #expect(operation.outcome == .failed)
        #expect(operation.cancelCalled() == .announce)
        #expect(operation.runtimePassed() == .ignore)
        #expect(operation.stopTimePassed() == false)
        #expect(operation.outcome == .failed)
    }

    // O12: the outcome is decided when the end begins, or by a timeout.
    @Test func outcomeIsNilUntilItIsDecided() {
        var life: Life = []
        #expect(life.finishCalled() == true)
        #expect(life.finishStored([]) == false)
        #expect(life.outcome == nil)
        #expect(life.cancelCalled() == .announce)
        #expect(life.outcome == nil)
        #expect(life.startCalled() == .skipMain)
        #expect(life.mainSkipped() == true)
        #expect(life.outcome == .cancelled)
        var timedOut: Life = [.started, .entered, .executing]
        #expect(timedOut.runtimePassed() == .announceAndCallDidCancel)
        #expect(timedOut.outcome == .timedOut)
    }

    // O11: only an operation that has started and was asked to stop is abandoned.
    @Test(arguments: [
        [], [Life.started, .entered, .executing], [.cancelled],
        [.started, .entered, .executing, .claimed],
        [.started, .entered, .executing, .cancelled, .ending],
        [.started, .entered, .executing, .cancelled, .ending, .finished],
    ])
    func abandonmentIsIgnored(life: Life) {
        var word = life
        #expect(word.stopTimePassed() == false)
        #expect(word == life)
    }

    // O11: the decided outcome stays, and a `didCancel()` that never returns blocks nothing.
    @Test func abandonedOperationKeepsItsDecidedOutcome() {
        var cancelled: Life = [.started, .entered, .executing]
        #expect(cancelled.cancelCalled() == .announceAndCallDidCancel)
        #expect(cancelled.stopTimePassed() == true)
        #expect(cancelled.outcome == .cancelled)
        var timedOut: Life = [.started, .entered, .executing]
        #expect(timedOut.runtimePassed() == .announceAndCallDidCancel)
        #expect(timedOut.didCancelReturned() == false)
        #expect(timedOut.stopTimePassed() == true)
        #expect(timedOut.outcome == .timedOut)
    }

    // O11, O2: a finish that waits for `didCancel()` takes effect now.
    @Test func abandonmentEndsAFinishThatWaitsForDidCancel() {
        var stored: Life = [.started, .entered, .executing]
        #expect(stored.cancelCalled() == .announceAndCallDidCancel)
        #expect(stored.finishCalled() == true)
        #expect(stored.finishStored([]) == false)
        #expect(stored.stopTimePassed() == true)
        var storing: Life = [.started, .entered, .executing]
        #expect(storing.cancelCalled() == .announceAndCallDidCancel)
        #expect(storing.finishCalled() == true)
        #expect(storing.stopTimePassed() == false)
        #expect(storing.finishStored([]) == true)
        #expect(storing.didCancelReturned() == false)
    }

    // O3
    @Test func decidedCancellationIsACancel() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.endDecided(.withCancellation) == .takenAsCancel)
        #expect(life.contains(.cancelled))
        #expect(life.decisionStored() == true)
        #expect(life.outcome == .cancelled)
    }
}
