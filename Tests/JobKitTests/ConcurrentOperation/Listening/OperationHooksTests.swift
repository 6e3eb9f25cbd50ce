import Testing

@testable import JobKit

@Suite struct OperationHooksTests {
    private let listeners = (0..<3).map { _ in OperationListener() }

    @Test func closedHooksIgnoreRemovals() {
        var hooks = OperationHooks()
        let areAdded = listeners.map { listener in hooks.subscribe { $0.add(listener) } }
        #expect(areAdded == [true, true, true])
        let taken = hooks.close(takesQueue: false)
        for listener in listeners { hooks.unsubscribe { $0.remove(listener) } }
        let notified = taken.subscribers.listeners.map(ObjectIdentifier.init)
        #expect(notified == listeners.map(ObjectIdentifier.init))
    }

    @Test func listenerRemovedBeforeTheFinishIsNotTaken() {
        var hooks = OperationHooks()
        for listener in listeners { _ = hooks.subscribe { $0.add(listener) } }
        hooks.unsubscribe { $0.remove(listeners[1]) }
        let taken = hooks.close(takesQueue: false)
        let notified = taken.subscribers.listeners.map(ObjectIdentifier.init)
        #expect(notified == [listeners[0], listeners[2]].map(ObjectIdentifier.init))
    }

    @Test func removedListenerIsNotNotified() {
        var hooks = OperationHooks()
        hooks.unsubscribe { $0.remove(listeners[0]) }
        let isKnown = hooks.subscribe { $0.add(listeners[0]) }
        #expect(isKnown)
        #expect(Array(hooks.subscribers.listeners).isEmpty)
    }
}

@Suite struct FinishSubscribersTests {
    private let unfinished = WaitGroup {}

    @Test func edgeThatEndedBeforeItWasAddedIsNotKept() {
        var subscribers = FinishSubscribers()
        let (ended, kept) = (DependencyEdge(unfinished), DependencyEdge(unfinished))
        ended.end()
        subscribers.remove(ended)
        subscribers.add(ended)
        #expect(subscribers.isEmpty)
        subscribers.add(kept)
        #expect(!subscribers.isEmpty)
        kept.end()
        subscribers.remove(kept)
        #expect(subscribers.isEmpty)
    }

    @Test func otherListenersAreFoundUpToTheLimit() {
        var subscribers = FinishSubscribers()
        let listeners = (0..<3).map { _ in OperationListener() }
        for listener in listeners { subscribers.add(listener) }
        for (index, listener) in listeners.enumerated() {
            for (limit, count) in [(1, 1), (2, 2), (.max, 2)] {
                let others = subscribers.listeners(limit, otherThan: listener)
                #expect(others.count == count, "\(index)")
                #expect(!others.contains { $0 === listener })
            }
        }
    }

    @Test func listenerAddedAfterTheFirstHasLeftComesLast() {
        var subscribers = FinishSubscribers()
        let listeners = (0..<3).map { _ in OperationListener() }
        for listener in listeners.dropLast() { subscribers.add(listener) }
        subscribers.remove(listeners[0])
        subscribers.add(listeners[2])
        let left = subscribers.listeners.map(ObjectIdentifier.init)
        #expect(left == listeners.dropFirst().map(ObjectIdentifier.init))
    }
}
