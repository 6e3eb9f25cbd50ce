import Metrics
import Synchronization

/// The metrics of jobs and their tasks; labels are the kind, the type and the status, never names or ids.
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

    /// Makes the metrics.
    ///
    /// - Parameter factory: Where they are made; the one that the process was bootstrapped with unless given.
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
    ///   - status: How it ended.
    ///   - duration: How long it ran; nil if it never started.
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

    /// Says how many runs wait and how many run.
    ///
    /// - Parameters:
    ///   - queued: How many wait for their start.
    ///   - running: How many were started and have not ended.
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
    /// Records a duration to the nanosecond.
    fileprivate func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
