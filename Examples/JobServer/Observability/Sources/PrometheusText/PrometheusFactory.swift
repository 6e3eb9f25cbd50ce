import CoreMetrics
import Synchronization

/// Keeps metrics in memory and writes them in Prometheus' text format.
///
/// Counters become `counter`, meters and gauges `gauge`, recorders that aggregate and timers
/// `histogram`. Timers count in seconds. Metric names and label names are changed to valid ones,
/// and label values are escaped.
///
/// ```swift
/// let metrics = PrometheusFactory()
/// MetricsSystem.bootstrap(metrics)
/// print(metrics.text())
/// ```
///
/// > Thread: Any. Creating a metric takes a short lock, and counting is one atomic operation.
public final class PrometheusFactory: MetricsFactory, Sendable {
    /// The highest number of series.
    ///
    /// Further ones count, but are not written.
    public let seriesLimit: Int

    private let families = Mutex(MetricFamilies())

    /// Creates a factory without metrics.
    ///
    /// - Parameter seriesLimit: The highest number of series, so that badly chosen labels do not
    ///   fill the memory.
    public init(seriesLimit: Int = 10_000) {
        self.seriesLimit = seriesLimit
    }

    /// Returns the counter with this name and these labels.
    ///
    /// The first call creates it.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, CounterSeries.self) { CounterSeries() }
    }

    /// Returns the gauge with this name and these labels.
    ///
    /// The first call creates it.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, GaugeSeries.self) { GaugeSeries() }
    }

    /// Returns the histogram with this name and these labels, or a gauge for a recorder without
    /// aggregation.
    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            series(label, dimensions, .histogram, HistogramSeries.self) { HistogramSeries() }
        } else {
            series(label, dimensions, .gauge, GaugeSeries.self) { GaugeSeries() }
        }
    }

    /// Returns the histogram in seconds with this name and these labels.
    ///
    /// The first call creates it.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram, HistogramSeries.self) { HistogramSeries() }
    }

    /// Removes a counter.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Removes a gauge.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Removes a histogram or a gauge.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Removes a histogram.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    /// Writes all metrics.
    ///
    /// - Returns: Text of the type `text/plain; version=0.0.4`, with families ordered by name and
    ///   series by labels.
    public func text() -> String {
        families.withLock { $0 }.text
    }

    private func series<Made: MetricSeries>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ kind: MetricKind,
        _ type: Made.Type,
        make: () -> Made
    ) -> Made {
        let name = PrometheusName.metric(label)
        let labels = PrometheusName.labels(dimensions)
        return families.withLock { families in
            if let known = families.series(named: name, labels: labels) as? Made { return known }
            let made = make()
            if families.count < seriesLimit {
                families.add(made, kind: kind, name: name, labels: labels)
            }
            return made
        }
    }

    private func remove(_ handler: AnyObject) {
        families.withLock { $0.remove(handler) }
    }
}
