import Metrics
import Synchronization

/// The metrics of jobs and their tasks.
///
/// Labels are the kind, the type and the status, but never names or IDs.
///
/// | metric | labels | counts |
/// |---|---|---|
/// | `jobkit_jobs_total` | kind, status | ends of runs |
/// | `jobkit_job_duration_seconds` | kind | from start to end |
/// | `jobkit_job_queued_duration_seconds` | kind | from submission to start |
/// | `jobkit_tasks_total` | type, status | ends of tasks |
/// | `jobkit_jobs` | status | runs that are `queued` and `running` |
///
/// > Thread: Any.
public struct RunMetrics: Sendable {
    private let factory: any MetricsFactory

    /// Creates the metrics.
    ///
    /// - Parameter factory: Creates the metrics. By default, it is the factory of the process.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
    }

    /// Counts the start of a run.
    ///
    /// - Parameters:
    ///   - kind: The kind of job.
    ///   - delay: How long it was queued.
    public func runStarted(kind: String, after delay: Duration) {
        timer("jobkit_job_queued_duration_seconds", [("kind", kind)]).record(delay)
    }

    /// Counts the end of a run.
    ///
    /// - Parameters:
    ///   - kind: The kind of job.
    ///   - status: The status of the end.
    ///   - duration: How long it ran, or nil if it never started.
    public func runEnded(kind: String, status: String, duration: Duration?) {
        Counter(
            label: "jobkit_jobs_total",
            dimensions: [("kind", kind), ("status", status)],
            factory: factory
        )
        .increment()
        if let duration {
            timer("jobkit_job_duration_seconds", [("kind", kind)]).record(duration)
        }
    }

    /// Sets the numbers of waiting and running runs.
    ///
    /// - Parameters:
    ///   - queued: The number of runs that wait for their start.
    ///   - running: The number of runs that were started and have not ended.
    public func runsCounted(queued: Int, running: Int) {
        for (status, count) in [("queued", queued), ("running", running)] {
            Meter(label: "jobkit_jobs", dimensions: [("status", status)], factory: factory)
                .set(count)
        }
    }

    func taskCounter(type: String, status: String) -> Counter {
        Counter(
            label: "jobkit_tasks_total",
            dimensions: [("type", type), ("status", status)],
            factory: factory
        )
    }

    private func timer(_ label: String, _ dimensions: [(String, String)]) -> Metrics.Timer {
        Metrics.Timer(label: label, dimensions: dimensions, factory: factory)
    }
}

extension Metrics.Timer {
    /// Records a duration in nanoseconds.
    fileprivate func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
