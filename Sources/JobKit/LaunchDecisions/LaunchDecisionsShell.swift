/// Owns the decisions' only lock, and runs closures and feeds streams with it released.
///
/// Closures and streams have an outbox each: a closure that blocks delays no stream.
final class LaunchDecisionsShell<Item: Hashable & Sendable>: Sendable {
    typealias Reaction = @Sendable () -> Void
    typealias Machine = LaunchDecisionsStateMachine<Item, Reaction, AsyncStream<Need>.Continuation>

    private struct State {
        var machine: Machine
        var updates = Outbox<Machine.Update>()
        var reactions = Outbox<Reaction>()
    }

    private let guarded: Guarded<State>

    init(priority: [Item], independent: Set<Item>, waitsForUnknown: Bool) {
        let machine = Machine(
            priority: priority,
            independent: independent,
            waitsForUnknown: waitsForUnknown
        )
        guarded = Guarded(State(machine: machine))
    }

    deinit {
        for subscriber in guarded.withLock({ $0.machine.subscribers() }) { subscriber.finish() }
    }

    func read<Value: Sendable>(_ value: (Machine) -> Value) -> Value {
        guarded.withLock { value($0.machine) }
    }

    /// Feeds one input to the machine, then does what it decided with the lock released.
    func send(_ input: (inout Machine) -> Machine.Decision) {
        let (mustUpdate, mustReact) = guarded.withLock { state in
            let decision = input(&state.machine)
            return (
                state.updates.actionsDecided(decision.updates),
                state.reactions.actionsDecided(decision.reactions)
            )
        }
        if mustUpdate {
            while let update = guarded.withLock({ $0.updates.nextAction() }) {
                update.subscriber.yield(update.need)
            }
        }
        if mustReact {
            while let reaction = guarded.withLock({ $0.reactions.nextAction() }) { reaction() }
        }
    }

    func updates(for item: Item) -> AsyncStream<Need> {
        let (stream, subscriber) = AsyncStream.makeStream(of: Need.self)
        var id = 0
        send { machine in
            let added = machine.subscriberAdded(subscriber, for: item)
            id = added.id
            return added.decision
        }
        subscriber.onTermination = { [weak self, id] _ in self?.subscriberEnded(id, for: item) }
        return stream
    }

    private func subscriberEnded(_ id: Int, for item: Item) {
        _ = guarded.withLock { $0.machine.subscriberEnded(id, for: item) }
    }
}
