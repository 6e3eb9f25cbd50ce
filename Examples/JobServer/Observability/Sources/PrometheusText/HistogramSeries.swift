import CoreMetrics
import Synchronization

/// Counts the values at or below each of several bounds.
final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    /// The upper bounds, in seconds for a timer.
    ///
    /// The last bucket has none.
    static let bounds: [Double] = [
        0.001, 0.01, 0.1, 0.5, 1, 5, 10, 60, 300, 1_800, 3_600, 86_400,
    ]

    private struct Buckets: Sendable {
        var counts = [Int64](repeating: 0, count: HistogramSeries.bounds.count + 1)
        var sum = 0.0
    }

    // A lock instead of an atomic for each bucket, so that the sum and the counts are consistent.
    private let buckets = Mutex(Buckets())

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let place = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        buckets.withLock {
            $0.counts[place] += 1
            $0.sum += value
        }
    }

    func lines(name: String, labels: String) -> String {
        let buckets = self.buckets.withLock { $0 }
        let comma = labels.isEmpty ? "" : ","
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        var text = ""
        var total: Int64 = 0
        for (place, count) in buckets.counts.enumerated() {
            total += count
            let bound = place < Self.bounds.count ? Self.bounds[place] : .infinity
            text += "\(name)_bucket{\(labels)\(comma)le=\"\(bound.metricText)\"} \(total)\n"
        }
        text += "\(name)_sum\(braces) \(buckets.sum.metricText)\n"
        return text + "\(name)_count\(braces) \(total)\n"
    }
}
