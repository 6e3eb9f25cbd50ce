import NIOCore
import Synchronization

/// Limits the number of connections without a request by closing the oldest.
///
/// It holds the only lock of its state machine.
final class SilentConnections: Sendable {
    private struct State: Sendable {
        var machine: SilentConnectionsStateMachine
        var channels: [Int: any Channel] = [:]
    }

    private let state: Mutex<State>

    init(limit: Int) {
        state = Mutex(State(machine: SilentConnectionsStateMachine(limit: limit)))
    }

    func opened(_ channel: any Channel) -> Int {
        let (id, closing) = state.withLock { state in
            let (id, closing) = state.machine.opened()
            state.channels[id] = channel
            return (id, closing.flatMap { state.channels.removeValue(forKey: $0) })
        }
        closing?.close(promise: nil)
        return id
    }

    func spokeOrClosed(_ id: Int) {
        state.withLock { state in
            state.machine.spokeOrClosed(id)
            state.channels[id] = nil
        }
    }
}
