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

extension RunLifeStateMachineTests {
    @Test func aRunThatTakesTooLongFailsWhateverItsJobDoesThen() {
        for outcome in [RunLifeStateMachine.Outcome.succeeded, .failed, .cancelled] {
            var life = RunLifeStateMachine()
            _ = life.jobMade()
            #expect(life.cancelAsked(by: .timeLimit) == .cancelJob)
            #expect(life.cancelAsked(by: .person) == nil)
            #expect(life.isOverdue)
            #expect(life.jobEnded(outcome) == .recordEnd(.failed))
        }
    }

    @Test func theLimitOfARunThatWasCancelledBeforeIsNone() {
        var life = RunLifeStateMachine()
        _ = life.jobMade()
        _ = life.cancelAsked(by: .person)
        #expect(life.cancelAsked(by: .timeLimit) == nil)
        #expect(life.jobDidNotStop() == .recordEnd(.cancelled))
        #expect(life.jobEnded(.succeeded) == nil)
    }

    @Test func aRunThatIsGivenUpAfterItsLimitHasFailed() {
        var life = RunLifeStateMachine()
        _ = life.jobMade()
        _ = life.cancelAsked(by: .timeLimit)
        #expect(life.jobDidNotStop() == .recordEnd(.failed))
    }
}

@Suite struct AdmissionStateMachineTests {
    private func open(width: Int, limit: Int) -> AdmissionStateMachine<Int, String> {
        var machine = AdmissionStateMachine<Int, String>(width: width, queueLimit: limit)
        _ = machine.opened(with: [], at: 0)
        return machine
    }

    @Test func limitCountsQueuedRunsOnly() {
        var machine = open(width: 1, limit: 1)
        #expect(machine.placeAsked() == .accepted)
        #expect(machine.runQueued(.init(id: 1), at: 0) == [1])
        #expect(machine.placeAsked() == .accepted)
        #expect(machine.runQueued(.init(id: 2), at: 0) == [])
        #expect(machine.placeAsked() == .full)
        #expect(machine.runEnded(1) == [2])
        #expect(machine.placeAsked() == .accepted)
    }

    @Test func plannedRunsTakeNoPlaceOfARunThatCanStart() {
        var machine = open(width: 2, limit: 2)
        for id in 1...2 {
            #expect(machine.placeAsked(isPlanned: true) == .accepted)
            #expect(machine.runQueued(.init(id: id, runAt: 99), at: 0) == [])
        }
        #expect(machine.placeAsked(isPlanned: true) == .full)
        for id in 3...4 {
            #expect(machine.placeAsked() == .accepted)
            #expect(machine.runQueued(.init(id: id), at: 0) == [id])
        }
        #expect(machine.placeAsked() == .full)
        #expect(machine.place(of: 1) == .planned(99))
        #expect(machine.place(of: 3) == nil)
        #expect(machine.runEnded(3) == [])
        #expect(machine.placeAsked() == .accepted)
    }

    @Test func queuedRunKnowsWhatStartsBeforeIt() {
        var machine = open(width: 1, limit: 9)
        for _ in 0..<4 { _ = machine.placeAsked() }
        for (id, priority) in [(1, 0), (2, 0), (3, 5), (4, 0)] {
            _ = machine.runQueued(.init(id: id, priority: priority), at: 0)
        }
        #expect(machine.place(of: 3) == .waiting(ahead: 0, queued: 3))
        #expect(machine.place(of: 4) == .waiting(ahead: 2, queued: 3))
        #expect(machine.place(of: 9) == nil)
        machine.stopBegan()
        #expect(machine.place(of: 4) == .closed)
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
        #expect(machine.runQueued(.init(id: 1), at: 0) == [1])
        for id in [4, 2, 3] { _ = machine.runQueued(.init(id: id), at: 0) }
        #expect(machine.queued == [2, 3, 4])
        #expect(machine.runWithdrawn(3) == true)
        #expect(machine.runWithdrawn(3) == false)
        #expect(machine.runEnded(1) == [2])
        #expect(machine.runEnded(2) == [4])
    }

    @Test func urgentRunsStartFirstAndOfEqualOnesTheOlder() {
        var machine = open(width: 1, limit: 9)
        for _ in 0..<5 { _ = machine.placeAsked() }
        #expect(machine.runQueued(.init(id: 1), at: 0) == [1])
        for (id, priority) in [(2, 0), (3, 5), (4, -1), (5, 5)] {
            #expect(machine.runQueued(.init(id: id, priority: priority), at: 0) == [])
        }
        #expect(machine.queued == [3, 5, 2, 4])
        #expect(machine.priorityChanged(of: 4, to: 9) == true)
        #expect(machine.priorityChanged(of: 1, to: 9) == false)
        #expect(machine.queued == [4, 3, 5, 2])
    }

    @Test func plannedRunsWaitForTheirTimeAndCountAsQueued() {
        var machine = open(width: 1, limit: 1)
        _ = machine.placeAsked()
        #expect(machine.runQueued(.init(id: 1, runAt: 100), at: 50) == [])
        #expect(machine.nextTime == 100)
        #expect(machine.queuedCount == 1)
        #expect(machine.timeCame(99) == [])
        #expect(machine.timeCame(100) == [1])
        #expect(machine.nextTime == nil)
        #expect(machine.runAdded(.init(id: 2, runAt: 300), at: 100) == [])
        #expect(machine.runAdded(.init(id: 3, runAt: 200), at: 100) == [])
        #expect(machine.nextTime == 200)
        #expect(machine.runWithdrawn(3) == true)
        // If the clock was set back, they stay planned.
        #expect(machine.timeCame(50) == [])
        #expect(machine.timeCame(400) == [])
        #expect(machine.runEnded(1) == [2])
    }

    @Test func nothingStartsBeforeOpeningOrAfterTheStop() {
        var machine = AdmissionStateMachine<Int, String>(width: 2, queueLimit: 9)
        _ = machine.placeAsked()
        #expect(machine.runQueued(.init(id: 9), at: 0) == [])
        #expect(machine.opened(with: [.init(id: 3), .init(id: 4)], at: 0) == [3, 4])
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
        #expect(machine.stopEnded() == [.giveUpRuns, .waitForWrites])
        #expect(machine.runEnded() == [.finish])
        #expect(machine.writesEnded() == [])
    }

    @Test func endsThatCannotBeWrittenKeepTheServerNoLongerThanTheyMay() {
        var machine = ShutdownStateMachine()
        machine.runStarted()
        _ = machine.stopAsked()
        _ = machine.graceEnded()
        _ = machine.stopEnded()
        #expect(machine.writesEnded() == [.finish])
        #expect(machine.runEnded() == [])
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

    @Test func aPauseIsToldAtOnceAndOnce() throws {
        var machine = EventFanOutStateMachine(limit: 1)
        let came = machine.listenerCame()
        let id = try #require(came)
        #expect(machine.queueChanged() == [id])
        #expect(machine.queueChanged() == [id])
        #expect(machine.taken(by: id) == .init(isQueueChanged: true))
        #expect(machine.taken(by: id) == .init())
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
