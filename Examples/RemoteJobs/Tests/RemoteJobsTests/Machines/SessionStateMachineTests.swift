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
        #expect(machine.failed(at: .seconds(1), random: 1) == [.retry(after: .milliseconds(100))])
        #expect(machine.retryDue() == [.connect])
        #expect(machine.failed(at: .seconds(31), random: 0) == [.giveUp(.unreachable)])
        #expect(machine.failed(at: .seconds(32), random: 0) == [])
    }

    @Test func aRefusalOfAnOpenSessionIsFinal() {
        var machine = openMachine()
        #expect(machine.refused(at: .seconds(1), random: 0) == [.giveUp(.refused)])
        #expect(machine.refused(at: .seconds(1), random: 0) == [])
    }

    @Test func aRefusalWhileOpeningIsFinalAndOneWhileABrokerComesBackIsNot() {
        var machine = SessionStateMachine(patience: .seconds(200))
        _ = machine.openRequested(at: .zero)
        #expect(machine.refused(at: .zero, random: 0) == [.giveUp(.refused)])
        var open = openMachine()
        _ = open.lost(at: .seconds(1))
        #expect(open.refused(at: .seconds(2), random: 1) == [.retry(after: .milliseconds(100))])
    }

    @Test func aLockIsTriedForNineteenSecondsSoThatTheWordOfItComesWithinTwenty() {
        var machine = SessionStateMachine(patience: .seconds(200))
        _ = machine.openRequested(at: .zero)
        #expect(machine.locked(at: .seconds(5)) == [.retry(after: .milliseconds(500))])
        _ = machine.retryDue()
        let last = Duration.milliseconds(23_999)
        #expect(machine.locked(at: last) == [.retry(after: .milliseconds(500))])
        _ = machine.retryDue()
        #expect(machine.locked(at: .seconds(24)) == [.giveUp(.jobIsRunning)])
    }

    @Test func aLostBrokerIsTriedForUntilPatienceEnds() {
        var machine = openMachine()
        #expect(machine.lost(at: .seconds(100)) == [.connect])
        #expect(machine.failed(at: .seconds(109), random: 1) == [.retry(after: .milliseconds(100))])
        #expect(machine.retryDue() == [.connect])
        #expect(machine.failed(at: .seconds(110), random: 1) == [.giveUp(.lost)])
    }

    @Test func aTryFailsOnceHoweverOftenThatIsHeard() {
        var machine = openMachine()
        #expect(machine.lost(at: .seconds(1)) == [.connect])
        #expect(machine.failed(at: .seconds(2), random: 1) == [.retry(after: .milliseconds(100))])
        #expect(machine.failed(at: .seconds(2), random: 1) == [])
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
