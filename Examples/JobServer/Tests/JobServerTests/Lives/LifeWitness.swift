import Foundation
import Synchronization

/// The state that the clients of one server share: the oracle, and excuses of the server.
final class LifeWitness: Sendable {
    let oracle: Mutex<RunOracle>
    /// Whether nothing has prevented the server from writing since its start.
    let isHealthy = Atomic<Bool>(true)
    /// Whether the server was sent a signal.
    let isDoomed = Atomic<Bool>(false)
    /// Whether clients must stop sending.
    let isOver = Atomic<Bool>(false)

    init(_ oracle: RunOracle) {
        self.oracle = Mutex(oracle)
    }

    func send<Value: Sendable>(_ body: (inout RunOracle) -> Value) -> Value {
        oracle.withLock { body(&$0) }
    }
}
