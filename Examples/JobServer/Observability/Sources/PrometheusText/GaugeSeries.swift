import CoreMetrics

/// A number that can increase and decrease.
final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    private let number = AtomicDouble()

    func set(_ value: Int64) { number.set(Double(value)) }
    func set(_ value: Double) { number.set(value) }
    func increment(by amount: Double) { number.add(amount) }
    func decrement(by amount: Double) { number.add(-amount) }
    func record(_ value: Int64) { number.set(Double(value)) }
    func record(_ value: Double) { number.set(value) }

    func lines(name: String, labels: String) -> String {
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        return "\(name)\(braces) \(number.value.metricText)\n"
    }
}
