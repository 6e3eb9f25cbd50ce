import Testing

@testable import RemoteJobs

@Suite struct SessionStateMachineTests {
    private func openMachine() -> SessionStateMachine {
        var machine = SessionStateMachine(patience: .seconds(10))
        _ = machine.openRequested(at: .zero)
        _ = machine.markerRead()
        return machine
    }

    @Test func openingGivesUpAfterThirtySecondsWithoutABroker() {
        var machine = SessionStateMachine(patience: .seconds(200))
        #expect(machine.openRequested(at: .seconds(1)) == [.connect])
        #expect(machine.failed(at: .seconds(1)) == [.retry(afterFailures: 1)])
        #expect(machine.retryDue() == [.connect])
        #expect(machine.failed(at: .seconds(31)) == [.giveUp(.unreachable)])
        #expect(machine.failed(at: .seconds(32)) == [])
    }

    @Test func aRefusalOfAnOpenSessionIsFinal() {
        var machine = openMachine()
        #expect(machine.refused(at: .seconds(1)) == [.giveUp(.refused)])
        #expect(machine.refused(at: .seconds(1)) == [])
    }

    @Test func aRefusalWhileOpeningIsFinalAndOneWhileABrokerComesBackIsNot() {
        var machine = SessionStateMachine(patience: .seconds(200))
        _ = machine.openRequested(at: .zero)
        #expect(machine.refused(at: .zero) == [.giveUp(.refused)])
        var open = openMachine()
        _ = open.lost(at: .seconds(1))
        #expect(open.refused(at: .seconds(2)) == [.retry(afterFailures: 1)])
    }

    @Test func aLockIsTriedForNineteenSecondsSoThatTheWordOfItComesWithinTwenty() {
        var machine = SessionStateMachine(patience: .seconds(200))
        _ = machine.openRequested(at: .zero)
        #expect(machine.locked(at: .seconds(5)) == [.retryForLock(after: .milliseconds(500))])
        _ = machine.retryDue()
        let last = Duration.milliseconds(23_999)
        #expect(machine.locked(at: last) == [.retryForLock(after: .milliseconds(500))])
        _ = machine.retryDue()
        #expect(machine.locked(at: .seconds(24)) == [.giveUp(.jobIsRunning)])
    }

    @Test func aLostBrokerIsTriedForUntilPatienceEnds() {
        var machine = openMachine()
        #expect(machine.lost(at: .seconds(100)) == [.connect])
        #expect(machine.failed(at: .seconds(109)) == [.retry(afterFailures: 1)])
        #expect(machine.retryDue() == [.connect])
        #expect(machine.failed(at: .seconds(110)) == [.giveUp(.lost)])
    }

    @Test func aTryFailsOnceHoweverOftenThatIsHeard() {
        var machine = openMachine()
        #expect(machine.lost(at: .seconds(1)) == [.connect])
        #expect(machine.failed(at: .seconds(2)) == [.retry(afterFailures: 1)])
        #expect(machine.failed(at: .seconds(2)) == [])
        #expect(machine.locked(at: .seconds(2)) == [])
        #expect(machine.retryDue() == [.connect])
        #expect(machine.retryDue() == [])
        #expect(machine.markerRead() == [.opened])
        #expect(machine.retryDue() == [])
    }

    @Test func closingEndsOnce() {
        var machine = openMachine()
        #expect(machine.closeRequested() == [.giveUp(.closed)])
        #expect(machine.closeRequested() == [])
        #expect(machine.lost(at: .seconds(1)) == [])
    }
}
