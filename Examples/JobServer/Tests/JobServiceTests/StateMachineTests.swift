import Testing

@testable import JobService

@Suite struct RunLifeStateMachineTests {
    @Test func aPersonsCancelIsCancelledWhateverElseHappens() {
        var life = RunLifeStateMachine()
        #expect(life.jobMade() == .startJob)
        #expect(life.cancelAsked(by: .shutdown) == .cancelJob)
        #expect(life.cancelAsked(by: .person) == nil)
        #expect(life.jobEnded(.cancelled) == .recordEnd(.cancelled))
    }

    @Test func aShutdownsCancelIsInterrupted() {
        var life = RunLifeStateMachine()
        _ = life.jobMade()
        _ = life.cancelAsked(by: .shutdown)
        #expect(life.jobEnded(.cancelled) == .recordEnd(.interrupted))
    }

    @Test func cancelBeforeTheJobIsMadeKeepsItFromStarting() {
        var life = RunLifeStateMachine()
        #expect(life.cancelAsked(by: .person) == nil)
        #expect(life.jobMade() == .recordEnd(.cancelled))
        #expect(life.isLive == false)
    }

    @Test func firstEndCounts() {
        var life = RunLifeStateMachine()
        _ = life.jobMade()
        #expect(life.givenUp() == .recordEnd(.interrupted))
        #expect(life.jobEnded(.succeeded) == nil)
        #expect(life.cancelAsked(by: .person) == nil)
    }

    @Test func aJobThatSucceedsInSpiteOfACancelHasSucceeded() {
        var life = RunLifeStateMachine()
        _ = life.jobMade()
        _ = life.cancelAsked(by: .person)
        #expect(life.jobEnded(.succeeded) == .recordEnd(.succeeded))
    }

    @Test func aStubbornRunThatAPersonCancelledIsCancelledWhenGivenUp() {
        var life = RunLifeStateMachine()
        _ = life.jobMade()
        _ = life.cancelAsked(by: .person)
        #expect(life.givenUp() == .recordEnd(.cancelled))
    }
}

@Suite struct AdmissionStateMachineTests {
    private func open(width: Int, limit: Int) -> AdmissionStateMachine<Int> {
        var machine = AdmissionStateMachine<Int>(width: width, queueLimit: limit)
        _ = machine.opened(with: [])
        return machine
    }

    @Test func limitCountsQueuedRunsOnly() {
        var machine = open(width: 1, limit: 1)
        #expect(machine.placeAsked() == .accepted)
        #expect(machine.runQueued(1) == [1])
        #expect(machine.placeAsked() == .accepted)
        #expect(machine.runQueued(2) == [])
        #expect(machine.placeAsked() == .full)
        #expect(machine.runEnded(1) == [2])
        #expect(machine.placeAsked() == .accepted)
    }

    @Test func placesThatAreAskedForAtOnceCount() {
        var machine = open(width: 1, limit: 1)
        #expect(machine.placeAsked() == .accepted)
        #expect(machine.placeAsked() == .accepted)
        #expect(machine.placeAsked() == .full)
        machine.placeGivenBack()
        #expect(machine.placeAsked() == .accepted)
    }

    @Test func runsStartInOrderOfTheirNumbers() {
        var machine = open(width: 1, limit: 9)
        for _ in 0..<4 { _ = machine.placeAsked() }
        #expect(machine.runQueued(1) == [1])
        for id in [4, 2, 3] { _ = machine.runQueued(id) }
        #expect(machine.queued == [2, 3, 4])
        #expect(machine.runWithdrawn(3) == true)
        #expect(machine.runWithdrawn(3) == false)
        #expect(machine.runEnded(1) == [2])
        #expect(machine.runEnded(2) == [4])
    }

    @Test func nothingStartsBeforeOpeningOrAfterTheStop() {
        var machine = AdmissionStateMachine<Int>(width: 2, queueLimit: 9)
        _ = machine.placeAsked()
        #expect(machine.runQueued(9) == [])
        #expect(machine.opened(with: [3, 4]) == [3, 4])
        machine.stopBegan()
        #expect(machine.runEnded(3) == [])
        #expect(machine.placeAsked() == .stopping)
        #expect(machine.queued == [9])
    }
}

@Suite struct ShutdownStateMachineTests {
    @Test func nothingRunningFinishesAtOnceAndOnce() {
        var machine = ShutdownStateMachine()
        #expect(machine.stopAsked() == [.sayGoodbye, .finish])
        #expect(machine.stopAsked() == [])
        #expect(machine.graceEnded() == [])
    }

    @Test func runsMayEndWithinTheGrace() {
        var machine = ShutdownStateMachine()
        machine.runStarted()
        #expect(machine.stopAsked() == [.sayGoodbye, .waitForGrace])
        #expect(machine.runEnded() == [.finish])
        #expect(machine.graceEnded() == [])
        #expect(machine.stopEnded() == [])
    }

    @Test func runsAreCancelledAfterTheGraceAndGivenUpAfterThat() {
        var machine = ShutdownStateMachine()
        machine.runStarted()
        machine.runStarted()
        _ = machine.stopAsked()
        #expect(machine.graceEnded() == [.cancelRuns, .waitForStop])
        #expect(machine.runEnded() == [])
        #expect(machine.stopEnded() == [.giveUpRuns])
        #expect(machine.runEnded() == [.finish])
    }
}

@Suite struct EventFanOutStateMachineTests {
    @Test func aListenerIsToldWhatChangedSinceItWasToldLast() throws {
        var machine = EventFanOutStateMachine(limit: 2)
        let came = machine.listenerCame()
        let id = try #require(came)
        for _ in 0..<100 { machine.runChanged(7) }
        machine.runChanged(3)
        #expect(machine.ticked() == [id])
        #expect(machine.taken(by: id) == .init(runIDs: [3, 7]))
        #expect(machine.ticked() == [])
        #expect(machine.runEnded(7) == [id])
        #expect(machine.taken(by: id) == .init(runIDs: [7]))
    }

    @Test func tooManyListenersAreRefusedUntilOneLeaves() throws {
        var machine = EventFanOutStateMachine(limit: 1)
        let came = machine.listenerCame()
        let id = try #require(came)
        #expect(machine.listenerCame() == nil)
        machine.listenerLeft(id)
        #expect(machine.listenerCame() != nil)
        #expect(machine.taken(by: id).isLast == true)
    }

    @Test func byeIsToldOnceAndTheLastBatchHasTheLastEnds() throws {
        var machine = EventFanOutStateMachine(limit: 9)
        let came = machine.listenerCame()
        let id = try #require(came)
        #expect(machine.stopBegan() == [id])
        #expect(machine.stopBegan() == [])
        #expect(machine.taken(by: id) == .init(saysBye: true))
        let second = machine.listenerCame()
        let late = try #require(second)
        #expect(machine.taken(by: late) == .init(saysBye: true))
        _ = machine.runEnded(1)
        _ = machine.closed()
        #expect(machine.taken(by: id) == .init(runIDs: [1], isLast: true))
        #expect(machine.listenerCame() == nil)
    }
}

@Suite struct ConnectionClockTests {
    @Test func aRequestHasThirtySecondsFromItsFirstByte() {
        var clock = ConnectionClock(openedAt: .zero)
        #expect(clock.deadline == .seconds(60))
        clock.bytesRead(at: .seconds(10))
        clock.bytesRead(at: .seconds(35))
        #expect(clock.deadline == .seconds(40))
        clock.headRead(at: .seconds(36))
        #expect(clock.deadline == .seconds(40))
        clock.requestRead()
        #expect(clock.deadline == nil)
        clock.answerWritten(at: .seconds(100))
        #expect(clock.deadline == .seconds(160))
    }

    @Test func aStreamMayBeSilentButNotBlocked() {
        var clock = ConnectionClock(openedAt: .zero)
        clock.headRead(at: .zero)
        clock.requestRead()
        #expect(clock.deadline == nil)
        clock.writingBlocked(at: .seconds(500))
        clock.writingBlocked(at: .seconds(510))
        #expect(clock.deadline == .seconds(530))
        clock.writingUnblocked()
        #expect(clock.deadline == nil)
    }

    @Test func anEarlyAnswerLeavesTheBodyItsTime() {
        var clock = ConnectionClock(openedAt: .zero)
        clock.bytesRead(at: .seconds(1))
        clock.headRead(at: .seconds(1))
        clock.answerWritten(at: .seconds(2))
        #expect(clock.deadline == .seconds(31))
        clock.requestRead()
        #expect(clock.deadline == .seconds(62))
    }
}

@Suite struct NewestToldStateMachineTests {
    @Test func whatChangesWhileItIsToldIsToldAgainByTheSameCaller() {
        var machine = NewestToldStateMachine()
        #expect(machine.changed() == true)
        #expect(machine.changed() == false)
        #expect(machine.changed() == false)
        #expect(machine.told() == true)
        #expect(machine.told() == false)
        #expect(machine.changed() == true)
        #expect(machine.told() == false)
    }
}
