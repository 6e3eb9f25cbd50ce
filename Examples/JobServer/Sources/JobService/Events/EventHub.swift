import Synchronization

/// Wakes the event streams.
///
/// They read the events from the board.
///
/// > Thread: Any.
final class EventHub: Sendable {
    /// One open stream, which ends when it is released, or earlier.
    final class Subscription: Sendable {
        let id: EventFanOutStateMachine.ListenerID
        /// Emits an element when events are available.
        ///
        /// Several wake-ups may be combined.
        let wakes: AsyncStream<Void>
        private let hub: EventHub

        init(id: EventFanOutStateMachine.ListenerID, wakes: AsyncStream<Void>, hub: EventHub) {
            self.id = id
            self.wakes = wakes
            self.hub = hub
        }

        // If the header of an answer cannot be written, its body never starts.
        deinit { end() }

        func end() { hub.unsubscribe(id) }
    }

    /// The connection to which a stream is written.
    struct Connection: Sendable {
        /// Whether the client has stopped reading.
        var isStuck: @Sendable () -> Bool = { false }
        /// Closes the connection, although the stream has not ended.
        var drop: @Sendable () -> Void = {}
    }

    private struct State: Sendable {
        var machine: EventFanOutStateMachine
        var wakers: [EventFanOutStateMachine.ListenerID: AsyncStream<Void>.Continuation] = [:]
        var connections: [EventFanOutStateMachine.ListenerID: Connection] = [:]
    }

    private let state: Mutex<State>
    private let arrival = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Emits an element when a listener is added.
    ///
    /// It has a single consumer, the sampler.
    var arrivals: AsyncStream<Void> { arrival.stream }

    init(limit: Int) {
        state = Mutex(State(machine: EventFanOutStateMachine(limit: limit)))
    }

    var hasListeners: Bool { state.withLock { !$0.machine.isEmpty } }

    /// Opens a stream.
    ///
    /// - Parameter connection: The connection of the stream.
    /// - Returns: The stream's subscription, or nil if there are too many streams.
    func subscribe(_ connection: Connection) -> Subscription? {
        let (stream, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard let id = state.machine.listenerCame() else { return nil }
            state.wakers[id] = waker
            state.connections[id] = connection
            return id
        }
        guard let id else { return nil }
        arrival.continuation.yield()
        // A stream that opens during a shutdown must be notified at once.
        waker.yield()
        return Subscription(id: id, wakes: stream, hub: self)
    }

    private func unsubscribe(_ id: EventFanOutStateMachine.ListenerID) {
        let waker = state.withLock { state in
            state.machine.listenerLeft(id)
            state.connections[id] = nil
            return state.wakers.removeValue(forKey: id)
        }
        waker?.finish()
    }

    func take(_ subscription: Subscription) -> EventFanOutStateMachine.Batch {
        state.withLock { $0.machine.taken(by: subscription.id) }
    }

    func runChanged(_ id: Int64) {
        state.withLock { $0.machine.runChanged(id) }
    }

    func runEnded(_ id: Int64) { wake { $0.runEnded(id) } }
    func runDeleted(_ id: Int64) { wake { $0.runDeleted(id) } }
    func queueChanged() { wake { $0.queueChanged() } }
    func tick() { wake { $0.ticked() } }
    func sayBye() { wake { $0.stopBegan() } }
    func remind(_ subscription: Subscription) { wake { $0.commentDue(for: subscription.id) } }
    func close() { wake { $0.closed() } }

    /// Closes the connections of unfinished streams: all of them, or only those that are stuck.
    func dropListeners(whoAreStuck onlyStuck: Bool) {
        let connections = state.withLock { Array($0.connections.values) }
        for connection in connections where !onlyStuck || connection.isStuck() {
            connection.drop()
        }
    }

    private func wake(
        _ input: (inout EventFanOutStateMachine) -> [EventFanOutStateMachine.ListenerID]
    ) {
        let wakers = state.withLock { state in
            input(&state.machine).compactMap { state.wakers[$0] }
        }
        for waker in wakers { waker.yield() }
    }
}
