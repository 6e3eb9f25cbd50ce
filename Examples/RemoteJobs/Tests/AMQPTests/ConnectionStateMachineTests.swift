import Testing

@testable import AMQP

@Suite struct ConnectionStateMachineTests {
    private typealias Machine = ConnectionStateMachine<String>
    private typealias Action = Machine.Action

    private static let locked = ClosingReason(code: 405, text: "locked")

    private func machine() -> Machine {
        Machine(user: "u", password: "p", virtualHost: "/", heartbeat: 5)
    }

    private func openMachine() -> Machine {
        var machine = machine()
        _ = machine.received(.connectionStart(major: 0, minor: 9, mechanisms: "PLAIN"), on: 0)
        _ = machine.received(
            .connectionTune(channelMax: 2_047, frameMax: 4_096, heartbeat: 60),
            on: 0
        )
        _ = machine.received(.connectionOpenOK, on: 0)
        return machine
    }

    private func machineWithChannel() -> Machine {
        var machine = openMachine()
        _ = machine.channelRequested("open")
        _ = machine.received(.channelOpenOK, on: 1)
        return machine
    }

    @Test func theHandshakeAgreesOnTheShorterFrameAndThisSidesHeartbeat() {
        var machine = machine()
        let start = machine.received(
            .connectionStart(major: 0, minor: 9, mechanisms: "PLAIN"),
            on: 0
        )
        guard case .send(.connectionStartOK(_, "PLAIN", let response), 0)? = start.first else {
            Issue.record("\(start)")
            return
        }
        #expect(response == [0, UInt8(ascii: "u"), 0, UInt8(ascii: "p")])
        let tune = Method.connectionTune(channelMax: 2_047, frameMax: 4_096, heartbeat: 60)
        #expect(
            machine.received(tune, on: 0) == [
                .send(
                    .connectionTuneOK(channelMax: 2_047, frameMax: 4_096, heartbeat: 5),
                    channel: 0
                ),
                .send(.connectionOpen(virtualHost: "/"), channel: 0),
            ]
        )
        #expect(machine.isOpen == false)
        #expect(machine.received(.connectionOpenOK, on: 0) == [.opened])
        #expect(machine.longestFrame == 4_096)
        #expect(machine.isOpen)
    }

    @Test func theOldestRequestIsTheFirstThatIsNotAnswered() {
        var machine = machineWithChannel()
        #expect(machine.oldestRequest(on: 1) == nil)
        _ = machine.requested(.confirmSelect, on: 1, "first")
        let first = machine.oldestRequest(on: 1)
        _ = machine.requested(.confirmSelect, on: 1, "second")
        #expect(first != nil)
        #expect(machine.oldestRequest(on: 1) == first)
        _ = machine.received(.confirmSelectOK, on: 1)
        #expect(machine.oldestRequest(on: 1) != first)
        _ = machine.received(.confirmSelectOK, on: 1)
        #expect(machine.oldestRequest(on: 1) == nil)
        #expect(machine.oldestRequest(on: 2) == nil)
    }

    @Test func aCloseDuringTheHandshakeWith403IsARefusal() {
        var machine = machine()
        _ = machine.received(.connectionStart(major: 0, minor: 9, mechanisms: "PLAIN"), on: 0)
        let reason = ClosingReason(code: 403, text: "ACCESS_REFUSED")
        #expect(
            machine.received(.connectionClose(reason), on: 0) == [
                .send(.connectionCloseOK, channel: 0), .closeTransport, .ended(.refused(reason)),
            ]
        )
    }

    @Test func anythingElseInTheHandshakeEndsIt() {
        var machine = machine()
        #expect(
            machine.received(.connectionOpenOK, on: 0) == [
                .closeTransport, .ended(.wrongBytes(.unexpectedFrame)),
            ]
        )
        #expect(machine.received(.connectionOpenOK, on: 0) == [])
    }

    @Test func answersGoToRequestsInTheirOrder() {
        var machine = machineWithChannel()
        #expect(
            machine.requested(.basicQos(prefetch: 1), on: 1, "qos") == [
                .send(.basicQos(prefetch: 1), channel: 1)
            ]
        )
        _ = machine.requested(.confirmSelect, on: 1, "confirm")
        #expect(machine.received(.basicQosOK, on: 1) == [.answer("qos", .basicQosOK)])
        #expect(
            machine.received(.confirmSelectOK, on: 1) == [.answer("confirm", .confirmSelectOK)]
        )
    }

    @Test func anAnswerToNoRequestEndsTheConnection() {
        var machine = machineWithChannel()
        #expect(
            machine.received(.basicQosOK, on: 1) == [
                .channelLost(1, .wrongBytes(.unexpectedFrame)), .closeTransport,
                .ended(.wrongBytes(.unexpectedFrame)),
            ]
        )
    }

    @Test func aChannelThatTheBrokerClosesFailsItsRequestsAndNoOthers() {
        var machine = machineWithChannel()
        let (number, _) = machine.channelRequested("second")
        #expect(number == 2)
        _ = machine.received(.channelOpenOK, on: 2)
        _ = machine.requested(.queueDelete(name: "a"), on: 1, "one")
        _ = machine.requested(.queueDelete(name: "b"), on: 2, "two")
        let failure = ConnectionError.channelClosed(Self.locked)
        #expect(
            machine.received(.channelClose(Self.locked), on: 1) == [
                .send(.channelCloseOK, channel: 1), .fail("one", failure), .channelLost(1, failure),
            ]
        )
        #expect(machine.requested(.confirmSelect, on: 1, "late") == [.fail("late", .closedHere)])
        #expect(
            machine.received(.queueDeleteOK(messageCount: 0), on: 2) == [
                .answer("two", .queueDeleteOK(messageCount: 0))
            ]
        )
    }

    @Test func channelClosedFromBothSidesEndsAloneWithTheAnswer() {
        var machine = machineWithChannel()
        _ = machine.channelRequested("second")
        _ = machine.received(.channelOpenOK, on: 2)
        _ = machine.requested(.queueDelete(name: "a"), on: 1, "delete")
        _ = machine.requested(.channelClose(Self.locked), on: 1, "close")
        let failure = ConnectionError.channelClosed(Self.locked)
        #expect(
            machine.received(.channelClose(Self.locked), on: 1) == [
                .send(.channelCloseOK, channel: 1), .fail("delete", failure),
            ]
        )
        // A request that crosses the broker's close gets no answer, and its channel number is not
        // free yet.
        #expect(machine.requested(.confirmSelect, on: 1, "late") == [.fail("late", .closedHere)])
        #expect(machine.received(.queueDeleteOK(messageCount: 0), on: 1) == [])
        #expect(machine.received(.channelCloseOK, on: 1) == [.answer("close", .channelCloseOK)])
        _ = machine.requested(.confirmSelect, on: 2, "confirm")
        #expect(
            machine.received(.confirmSelectOK, on: 2) == [.answer("confirm", .confirmSelectOK)]
        )
        #expect(machine.isOpen)
    }

    @Test func lateAnswerOnAChannelThatTheBrokerClosedIsIgnored() {
        var machine = machineWithChannel()
        _ = machine.requested(.queueDelete(name: "a"), on: 1, "delete")
        _ = machine.received(.channelClose(Self.locked), on: 1)
        #expect(machine.received(.queueDeleteOK(messageCount: 0), on: 1) == [])
        #expect(machine.received(.channelClose(Self.locked), on: 1) == [])
        #expect(machine.isOpen)
        // On a channel that was never opened, the same method is invalid.
        #expect(
            machine.received(.queueDeleteOK(messageCount: 0), on: 9) == [
                .closeTransport, .ended(.wrongBytes(.unexpectedFrame)),
            ]
        )
    }

    /// Tests all orders of events on two channels, one of which both sides may close.
    @Test func everyOrderOfClosesLeavesTheOtherChannelOpen() {
        enum Event: CaseIterable {
            case request, close, brokerCloses, answer, closeAnswer
        }
        var count = 0
        func walk(_ machine: Machine, _ events: [Event], _ sent: Int, _ hasClosed: Bool) {
            guard machine.isOpen else {
                Issue.record("\(events) ended the connection")
                return
            }
            count += 1
            guard events.count < 6 else { return }
            for event in Event.allCases {
                // A broker answers only requests, and closes a channel once.
                if event == .closeAnswer, !hasClosed || events.contains(.closeAnswer) { continue }
                if event == .answer, events.filter({ $0 == .answer }).count >= sent { continue }
                if event == .brokerCloses,
                    events.contains(.brokerCloses) || events.contains(.closeAnswer)
                {
                    continue
                }
                if event == .answer, events.contains(.closeAnswer) { continue }
                var next = machine
                var (sent, hasClosed) = (sent, hasClosed)
                switch event {
                case .request:
                    let actions = next.requested(.confirmSelect, on: 1, "r")
                    if case .send? = actions.first { sent += 1 }
                case .close:
                    let actions = next.requested(.channelClose(Self.locked), on: 1, "close")
                    if case .send? = actions.first { hasClosed = true }
                case .brokerCloses: _ = next.received(.channelClose(Self.locked), on: 1)
                case .answer: _ = next.received(.confirmSelectOK, on: 1)
                case .closeAnswer:
                    // It answers all earlier requests unless it has closed the channel.
                    let answered = events.filter { $0 == .answer }.count
                    if !events.contains(.brokerCloses), answered < sent { continue }
                    _ = next.received(.channelCloseOK, on: 1)
                }
                walk(next, events + [event], sent, hasClosed)
            }
        }
        var machine = machineWithChannel()
        _ = machine.channelRequested("second")
        _ = machine.received(.channelOpenOK, on: 2)
        walk(machine, [], 0, false)
        #expect(count > 500)
    }

    @Test func aChannelClosedHereIsNotLost() {
        var machine = machineWithChannel()
        _ = machine.requested(.channelClose(Self.locked), on: 1, "close")
        #expect(machine.received(.channelCloseOK, on: 1) == [.answer("close", .channelCloseOK)])
        #expect(machine.transportClosed() == [.closeTransport, .ended(.transportLost)])
    }

    @Test func theTransportsEndFailsAllThatWaits() {
        var machine = machineWithChannel()
        _ = machine.requested(.confirmSelect, on: 1, "one")
        #expect(
            machine.transportClosed() == [
                .fail("one", .transportLost), .channelLost(1, .transportLost), .closeTransport,
                .ended(.transportLost),
            ]
        )
        #expect(machine.transportClosed() == [])
        #expect(machine.channelRequested("late").1 == [.fail("late", .closedHere)])
    }

    @Test func closingWaitsForTheBrokersWord() {
        var machine = machineWithChannel()
        let done = ClosingReason(code: 200, text: "done")
        #expect(machine.closeRequested() == [.send(.connectionClose(done), channel: 0)])
        #expect(machine.closeRequested() == [])
        #expect(machine.received(.basicAck(delivery: 1, multiple: false), on: 1) == [])
        #expect(
            machine.received(.connectionCloseOK, on: 0) == [
                .channelLost(1, .closedHere), .closeTransport, .ended(.closedHere),
            ]
        )
    }

    @Test func confirmsReturnsAndDeliveriesArePassedOn() {
        var machine = machineWithChannel()
        let ack = Method.basicAck(delivery: 1, multiple: true)
        #expect(machine.received(ack, on: 1) == [.passOn(ack, channel: 1)])
        #expect(machine.received(ack, on: 9) == [])
    }

    @Test func blockedAndUnblockedAreTold() {
        var machine = openMachine()
        #expect(machine.received(.connectionBlocked(reason: "full"), on: 0) == [.blocked("full")])
        #expect(machine.received(.connectionUnblocked, on: 0) == [.blocked(nil)])
    }

    @Test func silenceEndsTheConnection() {
        var machine = openMachine()
        #expect(machine.failed(.silent) == [.closeTransport, .ended(.silent)])
    }

    @Test func channelsNumbersAreUsedAgain() {
        var machine = openMachine()
        for round in 1...2_000 {
            let (number, _) = machine.channelRequested("open")
            #expect(Int(number) == round)
            _ = machine.received(.channelOpenOK, on: number)
        }
        let (none, actions) = machine.channelRequested("one more")
        #expect(none == 0)
        #expect(actions == [.fail("one more", .noChannelLeft)])
        _ = machine.requested(.channelClose(Self.locked), on: 7, "close")
        _ = machine.received(.channelCloseOK, on: 7)
        #expect(machine.channelRequested("again").0 == 7)
    }
}
