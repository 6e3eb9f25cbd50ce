import Foundation
import JobKit
import Metrics
import Synchronization

/// The counters of the task types in one run.
///
/// They are kept because creating a type's name costs more than counting.
final class TaskTypeCounters: Sendable {
    private struct Counters: Sendable {
        let succeeded: Counter
        let failed: Counter
        let cancelled: Counter
    }

    private let metrics: RunMetrics
    private let known = Mutex<[ObjectIdentifier: Counters]>([:])

    init(_ metrics: RunMetrics) {
        self.metrics = metrics
    }

    /// Counts the end of a task.
    func taskFinished(_ type: Operation.Type, _ outcome: OperationOutcome) {
        let counters = counters(of: type)
        switch outcome {
        case .succeeded: counters.succeeded.increment()
        case .failed: counters.failed.increment()
        case .cancelled: counters.cancelled.increment()
        }
    }

    private func counters(of type: Operation.Type) -> Counters {
        let key = ObjectIdentifier(type)
        if let counters = known.withLock({ $0[key] }) { return counters }
        let name = String(describing: type)
        let made = Counters(
            succeeded: metrics.taskCounter(type: name, status: "succeeded"),
            failed: metrics.taskCounter(type: name, status: "failed"),
            cancelled: metrics.taskCounter(type: name, status: "cancelled")
        )
        known.withLock { $0[key] = made }
        return made
    }
}
