import CoreMetrics
import Synchronization

/// A number that only increases until it is reset.
final class CounterSeries: CounterHandler, MetricSeries {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        value.store(0, ordering: .relaxed)
    }

    func lines(name: String, labels: String) -> String {
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        return "\(name)\(braces) \(value.load(ordering: .relaxed))\n"
    }
}
