import CoreMetrics
import Synchronization

/// Keeps metrics in memory and writes them as Prometheus' text format.
///
/// Counters become `counter`, meters and gauges `gauge`, recorders that aggregate and timers
/// `histogram`; a timer counts in seconds. Label names and metric names are changed to what the
/// format allows; label values are escaped.
///
/// ```swift
/// let metrics = PrometheusFactory()
/// MetricsSystem.bootstrap(metrics)
/// print(metrics.text())
/// ```
///
/// > Thread: Any. Making a metric takes a short lock; counting is one atomic step.
public final class PrometheusFactory: MetricsFactory, Sendable {
    /// How many series are kept; one made beyond that counts, and is not written.
    public let seriesLimit: Int

    private let families = Mutex(MetricFamilies())

    /// Makes a factory without metrics.
    ///
    /// - Parameter seriesLimit: How many series are kept, so that labels which were chosen badly
    ///   do not fill the memory.
    public init(seriesLimit: Int = 10_000) {
        self.seriesLimit = seriesLimit
    }

    /// Gives the counter of a name and labels, a new one the first time.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, CounterSeries.self) { CounterSeries() }
    }

    /// Gives the gauge of a name and labels, a new one the first time.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, GaugeSeries.self) { GaugeSeries() }
    }

    /// Gives the histogram of a name and labels, or the gauge if the recorder does not aggregate.
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

    /// Gives the histogram, in seconds, of a name and labels, a new one the first time.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram, HistogramSeries.self) { HistogramSeries() }
    }

    /// Forgets a counter.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Forgets a gauge.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Forgets a histogram or a gauge.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Forgets a histogram.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    /// Writes all metrics.
    ///
    /// - Returns: The text of `text/plain; version=0.0.4`: families by name, series by labels.
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
