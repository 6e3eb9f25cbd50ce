import JobKit
import Synchronization

/// Gives each run's queue its share of the permits.
///
/// It holds the only lock over the shares.
final class PlaceSharing: Sendable {
    private struct State: Sendable {
        var shares: PlaceShares<Int64>
        var queues: [Int64: TaskQueue] = [:]
        var news = NewestToldStateMachine()
    }

    private let state: Mutex<State>

    init(width: Int) {
        state = Mutex(State(shares: PlaceShares(width: width)))
    }

    /// Creates the queue of a run that starts, and divides the permits again.
    func queue(of id: Int64, limit: Int?) -> TaskQueue {
        let queue = TaskQueue(name: "Run \(id)", maxConcurrentOperationCount: 1)
        share { state in
            state.shares.runStarted(id, limit: limit)
            state.queues[id] = queue
        }
        return queue
    }

    /// Divides the permits again after the end of a run.
    func runEnded(_ id: Int64) {
        let queue = share { state in
            state.shares.runEnded(id)
            return state.queues.removeValue(forKey: id)
        }
        withExtendedLifetime(queue) {}
    }

    /// Makes a change and updates all queues.
    ///
    /// If two threads do so, the newer shares are set last.
    private func share<Value>(_ change: (inout State) -> sending Value) -> sending Value {
        let (value, isTeller) = state.withLock { state in
            (change(&state), state.news.changed())
        }
        guard isTeller else { return value }
        repeat {
            let (shares, queues) = state.withLock { ($0.shares.shares, $0.queues) }
            for (id, share) in shares {
                guard let queue = queues[id], queue.maxConcurrentOperationCount != share else {
                    continue
                }
                queue.maxConcurrentOperationCount = share
            }
        } while state.withLock({ $0.news.told() })
        return value
    }
}
