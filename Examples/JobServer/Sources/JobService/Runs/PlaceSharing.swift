import JobKit
import Synchronization

/// Gives each run's queue its share of the places; the only lock over the shares.
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

    /// Makes the queue of a run that starts, and shares the places anew.
    func queue(of id: Int64, limit: Int?) -> TaskQueue {
        let queue = TaskQueue(name: "Run \(id)", maxConcurrentOperationCount: 1)
        share { state in
            state.shares.runStarted(id, limit: limit)
            state.queues[id] = queue
        }
        return queue
    }

    /// Shares the places of a run that has ended among the others.
    func runEnded(_ id: Int64) {
        let queue = share { state in
            state.shares.runEnded(id)
            return state.queues.removeValue(forKey: id)
        }
        withExtendedLifetime(queue) {}
    }

    /// Changes something, and tells all queues; of two threads, the one with the newer shares last.
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
