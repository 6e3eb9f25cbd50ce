import Testing

@testable import JobKit

@Suite struct FinishHookStateMachineTests {
    typealias Machine = FinishHookStateMachine

    @Test func finishAfterTheRegistrationCallsTheBodyOnce() {
        var machine = Machine()
        #expect(machine.watchBegan() == true)
        #expect(machine.registered() == true)
        #expect(machine.finishDetected() == true)
        #expect(machine.finishDetected() == false)
        #expect(machine.detach() == [false, false])
    }

    @Test func finishDuringTheRegistrationLeavesNothingToKeepOrTakeBack() {
        var machine = Machine()
        #expect(machine.watchBegan() == true)
        #expect(machine.finishDetected() == true)
        #expect(machine.registered() == false)
    }

    @Test func finishBeforeTheWatchIsNotReported() {
        var machine = Machine()
        #expect(machine.finishDetected() == false)
        #expect(machine.watchBegan() == true)
    }

    @Test func detachDuringTheRegistrationIsCarriedOutByWhoRegisters() {
        var machine = Machine()
        #expect(machine.watchBegan() == true)
        #expect(machine.detach() == [true, false])
        #expect(machine.finishDetected() == false)
        #expect(machine.registered() == false)
        #expect(machine.detach() == [false, false])
    }

    @Test func detachBeforeTheWatchPreventsIt() {
        var machine = Machine()
        #expect(machine.detach() == [true, false])
        #expect(machine.watchBegan() == false)
    }

    @Test func detachOfAWatchingHookTakesBackOnce() {
        var machine = Machine()
        #expect(machine.watchBegan() == true)
        #expect(machine.registered() == true)
        #expect(machine.detach() == [true, true])
        #expect(machine.detach() == [false, false])
        #expect(machine.finishDetected() == false)
    }

    private enum Event: CaseIterable { case finish, detach, registered }

    /// The hook ends once in every order of events.
    ///
    /// If a registration has not received its completion, it is withdrawn once, but never while it
    /// is being made.
    @Test func everyOrderEndsTheWatchOnce() {
        var open: [[Event]] = [[]]
        var orders: [[Event]] = []
        while let order = open.popLast() {
            orders.append(order)
            guard order.count < 6 else { continue }
            for event in Event.allCases where event != .registered || !order.contains(event) {
                open.append(order + [event])
            }
        }
        #expect(orders.count > 400)
        for order in orders {
            var machine = Machine()
            _ = machine.watchBegan()
            var (calls, detaches, takenBack, isRegistered, isKept) = (0, 0, 0, false, false)
            for event in order {
                switch event {
                case .finish:
                    if machine.finishDetected() { calls += 1 }
                case .detach:
                    let next = machine.detached()
                    if next.mustUnregister { takenBack += isRegistered ? 1 : 100 }
                    if next.isFirst { detaches += 1 }
                case .registered:
                    isRegistered = true
                    isKept = machine.registered()
                }
            }
            let ends = order.filter { $0 != .registered }
            #expect(calls == (ends.first == .finish ? 1 : 0), "\(order)")
            #expect(detaches == (ends.first == .detach ? 1 : 0), "\(order)")
            guard isRegistered else { continue }
            #expect(takenBack == (isKept ? detaches : 0), "\(order)")
            #expect(isKept == (order.first == .registered), "\(order)")
        }
    }
}

extension FinishHookStateMachine {
    /// Returns whether the hook had not ended, and whether the registration must be removed.
    fileprivate mutating func detach() -> [Bool] {
        let (isFirst, mustUnregister) = detached()
        return [isFirst, mustUnregister]
    }
}
