import Testing

@testable import JobKit

@Suite struct OperationHooksTests {
    private let listeners = (0..<3).map { _ in OperationListener() }

    @Test func closedHooksIgnoreRemovals() {
        var hooks = OperationHooks()
        let areAdded = listeners.map { listener in hooks.subscribe { $0.add(listener) } }
        #expect(areAdded == [true, true, true])
        let taken = hooks.close(takesQueue: false)
        for listener in listeners { _ = hooks.unsubscribe { $0.remove(listener) } }
        #expect(taken.subscribers.listener === listeners[0])
        let others = taken.subscribers.others.read { $0.listeners.present } ?? []
        #expect(
            others.map(ObjectIdentifier.init) == listeners.dropFirst().map(ObjectIdentifier.init)
        )
    }

    @Test func listenerRemovedBeforeTheFinishIsNotTaken() {
        var hooks = OperationHooks()
        for listener in listeners { _ = hooks.subscribe { $0.add(listener) } }
        _ = hooks.unsubscribe { $0.remove(listeners[1]) }
        let taken = hooks.close(takesQueue: false)
        let others = taken.subscribers.others.read { $0.listeners.present } ?? []
        #expect(others.map(ObjectIdentifier.init) == [ObjectIdentifier(listeners[2])])
    }

    @Test func removedListenerIsNotNotified() {
        var hooks = OperationHooks()
        _ = hooks.unsubscribe { $0.remove(listeners[0]) }
        let isKnown = hooks.subscribe { $0.add(listeners[0]) }
        #expect(isKnown)
        #expect(Array(hooks.subscribers.listeners).isEmpty)
    }
}

@Suite struct SubscriberListTests {
    private let dependencyCount = DependencyCount {}

    @Test func edgeThatEndedBeforeItWasAddedIsNotKept() {
        var list = SubscriberList<DependencyEdge>()
        let (ended, kept) = (DependencyEdge(dependencyCount), DependencyEdge(dependencyCount))
        ended.end()
        _ = list.elementLeft()
        list.append(ended)
        list.append(kept)
        #expect(list.elements.map(ObjectIdentifier.init) == [ObjectIdentifier(kept)])
    }

    @Test(arguments: UInt64(1)...30) func randomWalkAgreesWithAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = SubscriberList<DependencyEdge>()
        var oracle: [DependencyEdge] = []
        for _ in 0..<600 {
            if oracle.isEmpty || random.chance(50) {
                let edge = DependencyEdge(dependencyCount)
                list.append(edge)
                oracle.append(edge)
            } else {
                oracle.remove(at: Int.random(in: oracle.indices, using: &random)).end()
                let released = list.elementLeft()
                #expect(released.isEmpty || list.elements.count == oracle.count)
            }
            #expect(list.elements.count <= 2 * oracle.count)
            #expect(list.isEmpty() == oracle.isEmpty)
            #expect(list.present.map(ObjectIdentifier.init) == oracle.map(ObjectIdentifier.init))
            guard let first = oracle.first else { continue }
            let others = oracle.dropFirst().map(ObjectIdentifier.init)
            let (one, all) = (list.first(1, otherThan: first), list.first(.max, otherThan: first))
            #expect(one.map(ObjectIdentifier.init) == Array(others.prefix(1)))
            #expect(all.map(ObjectIdentifier.init) == others)
        }
    }
}
