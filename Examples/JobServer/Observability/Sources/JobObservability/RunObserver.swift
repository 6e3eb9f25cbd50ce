import JobKit
import Logging
import Metrics
import Synchronization
import Tracing

/// Turns the events of a job and its tasks into log lines, metrics and spans.
///
/// ```swift
/// let observer = RunObserver(RunIdentity(kind: "import"), logger: logger)
/// job.addObserver(observer)
/// job.setContext(observer.bind)
/// try await job.run()
/// ```
///
/// *Log lines*, at most at level `info`: the start, the end, and the first ``failureLimit`` failed
/// tasks, with the keys `job.id`, `job.kind`, `job.attempt`, `job.status`, `job.duration`,
/// `task.name`, `task.type`, `error.type` and `error.message`. The attempts of a `RetryOperation`
/// count neither as tasks nor as failures of the run. Only the retry itself counts. *Metrics*:
/// those of ``RunMetrics``. *Spans*: one for the run and one for each of its first ``spanLimit``
/// tasks.
///
/// > Thread: Any. An event costs atomic operations, and the end of a task also a short lock, so no
/// > thread waits. The observer keeps the spans of running tasks, but retains no operation.
public final class RunObserver: JobObserver, Sendable {
    /// How many tasks of a run have a span.
    public static let spanLimit = 200
    /// How many failed tasks of a run are logged.
    public static let failureLimit = 20

    /// The observed run.
    public let identity: RunIdentity
    /// The logger of the run.
    ///
    /// Its metadata identifies the run.
    public let logger: Logger
    /// The context that ``bind(_:)`` binds: the run's span as a child of the current one.
    public let context: ServiceContext
    /// The numbers of tasks so far.
    public let counts = RunCounts()

    private let metrics: RunMetrics
    private let types: TaskTypeCounters
    private let spans: RunSpans
    private let statusOfEnd: @Sendable (OperationOutcome) -> String?
    private let retries = RetryAttempts()
    private let failedTasks = Mutex<[TaskFailure]>([])
    private let began = ContinuousClock.now
    private let hasEnded = Atomic<Bool>(false)
    /// The end of the job, which may come before the run's end is reported.
    private let jobEnded = Mutex<ContinuousClock.Instant?>(nil)
    private let failureCount = Atomic<Int>(0)

    /// Creates an observer for one run of a job, and opens its span.
    ///
    /// - Parameters:
    ///   - identity: Identifies the run in lines and spans.
    ///   - queuedFor: How long the run waited for its start, if it did.
    ///   - logger: The log. `job.id`, `job.kind` and `job.attempt` are added to its metadata.
    ///   - metrics: The metrics of the run.
    ///   - tracer: Creates the spans.
    ///   - statusOfEnd: The status for an outcome, by default its name. It is nil if the job's own
    ///     end is not the end of the run. In this case, call ``runEnded(_:error:)``.
    public init(
        _ identity: RunIdentity,
        queuedFor: Duration? = nil,
        logger: Logger,
        metrics: RunMetrics = RunMetrics(),
        tracer: any Tracer = InstrumentationSystem.tracer,
        statusOfEnd: @escaping @Sendable (OperationOutcome) -> String? = { $0.description }
    ) {
        self.identity = identity
        self.metrics = metrics
        self.statusOfEnd = statusOfEnd
        var logger = logger
        for (key, value) in identity.metadata { logger[metadataKey: key] = value }
        self.logger = logger
        spans = RunSpans(identity, tracer: tracer, limit: Self.spanLimit)
        context = spans.context
        types = TaskTypeCounters(metrics)
        if let queuedFor { metrics.runStarted(kind: identity.kind, after: queuedFor) }
    }

    /// Runs a closure with the run's span and logger as the current ones, for
    /// `JobController.setContext`.
    ///
    /// - Parameter body: The closure. It runs once, on this thread.
    public func bind(_ body: () -> Void) {
        ServiceContext.$current.withValue(context) {
            withLogger(logger) { _ in body() }
        }
    }

    /// The first ``failureLimit`` failed tasks.
    public var failures: [TaskFailure] { failedTasks.withLock { $0 } }

    /// Converts an event to log lines, metrics and spans.
    ///
    /// Events after the run's end are ignored.
    public func job(_ job: JobController, didRecord event: JobEvent) {
        guard !hasEnded.load(ordering: .relaxed) else { return }
        if event.parentID == nil {
            rootDidRecord(event)
        } else {
            taskDidRecord(event)
        }
    }

    /// Counts and logs the run's end.
    ///
    /// Only the first call or the job's own end counts. Call it for a run that never started, or
    /// that is abandoned although its job is still running.
    ///
    /// - Parameters:
    ///   - status: The status to count: `succeeded`, `failed`, `cancelled`, or another one.
    ///   - error: The reason for its failure.
    public func runEnded(_ status: String, error: (any Error)? = nil) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        let duration = (jobEnded.withLock { $0 } ?? .now) - began
        metrics.runEnded(kind: identity.kind, status: status, duration: duration)
        var metadata: Logger.Metadata = [
            "job.status": "\(status)", "job.duration": "\(duration)",
            "job.tasks": "\(counts.finished)",
        ]
        if let error { metadata.merge(Self.metadata(of: error)) { $1 } }
        logger.info("Job ended", metadata: metadata)
        spans.runEnded(status, error: error)
    }

    private func rootDidRecord(_ event: JobEvent) {
        switch event.kind {
        case .started:
            logger.info("Job started")
        case .finished:
            jobEnded.withLock { $0 = event.instant }
            let outcome = event.outcome ?? .succeeded
            var error: (any Error)?
            if case .failed(let cause) = outcome { error = cause }
            if let status = statusOfEnd(outcome) { runEnded(status, error: error) }
        default:
            break
        }
    }

    private func taskDidRecord(_ event: JobEvent) {
        let isAttempt = retries.isAttempt(event)
        switch event.kind {
        case .tracked:
            if !isAttempt { counts.taskTracked() }
        case .started:
            spans.taskStarted(event)
        case .finished:
            let outcome = event.outcome ?? .succeeded
            types.taskFinished(event.type, outcome)
            var error: (any Error)?
            if case .failed(let cause) = outcome { error = cause }
            if !isAttempt { counts.taskFinished(failed: error != nil) }
            spans.taskFinished(event, outcome, error: error)
            if let error, !isAttempt { note(event, error) }
        default:
            break
        }
    }

    private func note(_ event: JobEvent, _ error: any Error) {
        let number = failureCount.add(1, ordering: .relaxed).newValue
        guard number <= Self.failureLimit else { return }
        let failure = TaskFailure(name: event.name, error: error)
        failedTasks.withLock { $0.append(failure) }
        var metadata = Self.metadata(of: error)
        metadata["task.name"] = "\(LogText.oneLine(event.name))"
        metadata["task.type"] = "\(event.type)"
        if number == Self.failureLimit { metadata["task.further"] = "further ones are not logged" }
        logger.info("Task failed", metadata: metadata)
    }

    private static func metadata(of error: any Error) -> Logger.Metadata {
        [
            "error.type": "\(type(of: error))",
            "error.message": "\(LogText.oneLine(String(describing: error)))",
        ]
    }
}
