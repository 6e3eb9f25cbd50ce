import Testing

@testable import JobKit

@Suite struct OperationHooksTests {
    private let listeners = (0..<3).map { _ in OperationListener() }

    @Test func hooksTakenByAFinishChangeNoMore() {
        var hooks = OperationHooks()
        let areHeard = listeners.map { hooks.add($0) }
        #expect(areHeard == [true, true, true])
        let taken = hooks.close(takesQueue: false)
        for listener in listeners { _ = hooks.remove(listener) }
        #expect(taken.subscribers.listener === listeners[0])
        let others = taken.subscribers.others.read { $0.listeners.present } ?? []
        #expect(
            others.map(ObjectIdentifier.init) == listeners.dropFirst().map(ObjectIdentifier.init)
        )
    }

    @Test func listenerRemovedBeforeTheFinishIsNotTaken() {
        var hooks = OperationHooks()
        for listener in listeners { _ = hooks.add(listener) }
        _ = hooks.remove(listeners[1])
        let taken = hooks.close(takesQueue: false)
        let others = taken.subscribers.others.read { $0.listeners.present } ?? []
        #expect(others.map(ObjectIdentifier.init) == [ObjectIdentifier(listeners[2])])
    }

    @Test func removedListenerIsNotNotified() {
        var hooks = OperationHooks()
        _ = hooks.remove(listeners[0])
        let isKnown = hooks.add(listeners[0])
        #expect(isKnown)
        #expect(Array(hooks.subscribers.listeners).isEmpty)
    }
}
