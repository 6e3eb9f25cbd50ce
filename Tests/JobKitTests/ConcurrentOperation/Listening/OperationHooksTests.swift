import Testing

@testable import JobKit

@Suite struct OperationHooksTests {
    private let listeners = (0..<3).map { _ in OperationListener() }

    @Test func whatAFinishTookOutChangesNoMore() {
        var hooks = OperationHooks()
        let areHeard = listeners.map { hooks.subscribe($0) }
        #expect(areHeard == [true, true, true])
        let taken = hooks.close(takesQueue: false)
        for listener in listeners { hooks.unsubscribe(listener) }
        #expect(taken.listeners.subscriber === listeners[0])
        let others = taken.listeners.others?.subscribers.all ?? []
        #expect(
            others.map(ObjectIdentifier.init) == listeners.dropFirst().map(ObjectIdentifier.init)
        )
    }

    @Test func whoLeavesBeforeTheFinishIsNotTakenOut() {
        var hooks = OperationHooks()
        for listener in listeners { _ = hooks.subscribe(listener) }
        hooks.unsubscribe(listeners[1])
        let taken = hooks.close(takesQueue: false)
        let others = taken.listeners.others?.subscribers.all ?? []
        #expect(others.map(ObjectIdentifier.init) == [ObjectIdentifier(listeners[2])])
    }

    @Test func whoLeftIsNotHeardAgain() {
        var hooks = OperationHooks()
        hooks.unsubscribe(listeners[0])
        let isKnown = hooks.subscribe(listeners[0])
        #expect(isKnown)
        #expect(hooks.subscribers.isEmpty)
    }
}
