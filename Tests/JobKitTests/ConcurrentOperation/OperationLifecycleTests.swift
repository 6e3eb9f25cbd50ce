import Testing

@testable import JobKit

@Suite struct OperationLifecycleTests {
    typealias Life = OperationLifecycle

    @Test func startEntersMain() {
        var life: Life = []
        #expect(life.startCalled() == .enterMain)
        #expect(life == [.started, .entered, .executing])
    }

    // O7
    @Test func secondStartIsRefused() {
        var life: Life = [.started, .entered, .executing, .claimed, .settled, .ending, .finished]
        let before = life
        #expect(life.startCalled() == .refuseSecondStart)
        #expect(life == before)
    }

    // O2
    @Test func finishBeforeStartEndsAtTheStart() {
        var life: Life = []
        #expect(life.finishCalled() == true)
        #expect(life.finishStored([], insideDidCancel: false) == false)
        #expect(life.startCalled() == .skipMain)
        #expect(life.mainSkipped() == true)
        #expect(life.outcome == .succeeded)
    }

    // O2
    @Test func secondFinishIsIgnored() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.finishCalled() == true)
        #expect(life.finishCalled() == false)
        #expect(life.finishStored(.withError, insideDidCancel: false) == true)
        #expect(life.outcome == .failed)
    }

    // O4
    @Test func cancelBeforeStartEndsAtTheStartWithoutMain() {
        var life: Life = []
        #expect(life.cancelCalled() == .announce)
        #expect(life.isCancelledBeforeMain)
        #expect(life.startCalled() == .skipMain)
        #expect(life.mainSkipped() == true)
        #expect(life.outcome == .cancelled)
    }

    // O2, O4: what the finish brings is stored before the operation is finished.
    @Test func startDuringAFinishLeavesTheEndToTheFinish() {
        var life: Life = .cancelled
        #expect(life.finishCalled() == true)
        #expect(life.startCalled() == .skipMain)
        #expect(life.mainSkipped() == false)
        #expect(life.finishStored([], insideDidCancel: false) == true)
        #expect(life.outcome == .cancelled)
    }

    // O5
    @Test func finishWhileToldOfACancelWaitsForTheReturn() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.cancelCalled() == .announceAndTell)
        #expect(life.finishCalled() == true)
        #expect(life.finishStored([], insideDidCancel: false) == false)
        #expect(life.didCancelReturned() == true)
    }

    // O5
    @Test func finishInsideDidCancelEndsAtOnce() {
        var life: Life = [.started, .entered, .executing]
        #expect(life.cancelCalled() == .announceAndTell)
        #expect(life.finishCalled() == true)
        #expect(life.finishStored([], insideDidCancel: true) == true)
        #expect(life.didCancelReturned() == false)
    }

    // O8
    @Test(arguments: [Life.withError, .withCancellation, []])
    func overrunSettlesTheOutcome(brought: Life) {
        var life: Life = [.started, .entered, .executing]
        #expect(life.runtimeOverrun() == .announceAndTell)
        #expect(life.contains(.cancelled))
        #expect(life.cancelCalled() == .ignore)
        #expect(life.didCancelReturned() == false)
        #expect(life.finishCalled() == true)
        #expect(life.finishStored(brought, insideDidCancel: false) == true)
        #expect(life.outcome == .timedOut)
    }

    // O8: neither before `main()`, nor after a cancel, nor after a finish.
    @Test(arguments: [
        [], Life.started, [.started, .entered, .cancelled], [.started, .entered, .claimed],
        [.started, .entered, .claimed, .settled, .ending],
    ])
    func overrunIsIgnored(life: Life) {
        var life = life
        let before = life
        #expect(life.runtimeOverrun() == .ignore)
        #expect(life == before)
    }

    // O3
    @Test func cancelAfterTheEndIsIgnored() {
        var life: Life = [.started, .entered, .claimed, .settled, .ending, .finished]
        #expect(life.cancelCalled() == .ignore)
        #expect(life.outcome == .succeeded)
    }

    @Test func decidedEndGivesWayToACancelOnlyWhereItIsAsked() {
        var life: Life = [.started, .entered, .executing, .cancelled]
        #expect(life.endDecided([], unlessCancelled: true) == false)
        #expect(life.endDecided(.withError, unlessCancelled: false) == true)
        #expect(life.endDecided([], unlessCancelled: false) == false)
        #expect(life.outcome == .failed)
    }
}
