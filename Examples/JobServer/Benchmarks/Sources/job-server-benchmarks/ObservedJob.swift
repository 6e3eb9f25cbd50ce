import Foundation
import InMemoryTracing
import JobKit
import JobObservability
import Logging
import PrometheusText

/// Compares a job that is observed as in the server with the same job alone.
enum ObservedJob {
    static func measure(_ sizes: Sizes) async throws -> [Figure] {
        let logger = Logger(label: "benchmark") { LineLogHandler(label: $0) { _ in } }
        let metrics = RunMetrics(factory: PrometheusFactory())
        var (alone, watched): ([Double], [Double]) = ([], [])
        // The first round is discarded.
        for round in 0...sizes.rounds {
            let first = try await processorTime(of: sizes.tasks) { _ in }
            let second = try await processorTime(of: sizes.tasks) { job in
                watch(job, logger, metrics)
            }
            if round == 0 { continue }
            alone.append(first)
            watched.append(second)
        }
        return [
            Figure(
                name: "job of \(sizes.tasks) tasks, whole observer to nobody, processor time",
                value: watched.median / alone.median,
                unit: "×",
                bound: .atMost(2),
                parts: "\(Figure.text(watched.median)) to \(Figure.text(alone.median)) ms"
            )
        ]
    }

    /// Observes a job like the server does before it starts one, with spans that are kept.
    private static func watch(_ job: JobController, _ logger: Logger, _ metrics: RunMetrics) {
        let observer = RunObserver(
            RunIdentity(kind: "steps", id: 1),
            queuedFor: .zero,
            logger: logger,
            metrics: metrics,
            tracer: InMemoryTracer()
        )
        job.addObserver(observer)
        job.addObserver(TimelineRecorder(limit: 5_000))
        job.setContext { [observer] body in observer.bind(body) }
    }

    /// The processor time of a run, in milliseconds.
    private static func processorTime(
        of count: Int,
        prepare: (JobController) -> Void
    ) async throws -> Double {
        let job = CountedJob(count: count)
        prepare(job)
        let before = ProcessReading.milliseconds(of: getpid())
        try await job.run()
        return ProcessReading.milliseconds(of: getpid()) - before
    }
}

// Operation forces @unchecked. The stored properties are constant.
/// A job of tasks that end at once, with as many at a time as there are cores.
private final class CountedJob: JobController, @unchecked Sendable {
    private let count: Int

    init(count: Int) {
        self.count = count
        let cores = ProcessInfo.processInfo.activeProcessorCount
        super.init(queue: TaskQueue(name: "Tasks", maxConcurrentOperationCount: cores))
        setMaxConcurrentOperationCount(cores, for: .named("tasks"))
    }

    override func main() {
        for _ in 0..<count {
            trackAndQueue(ConcurrentOperation(), group: .named("tasks")) { _ in }
        }
    }
}
