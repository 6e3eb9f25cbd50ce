import Logging

/// One run of a job's controller, with its broker connection and the state of its tasks.
///
/// ```swift
/// let session = RemoteSession(job: "nightly", brokers: try BrokerAddress.parse(url))
/// try await session.open()
/// try await job.run()
/// await session.close()
/// ```
///
/// A job ID memoizes. A session with the ID of an earlier one continues where that one ended. A
/// task that has succeeded finishes at once with its earlier value, and a task that is queued or
/// running is adopted. A failed task runs again unless ``Options/remembersFailures`` is set. Only
/// one session of a job can be open at a time.
///
/// > Thread: Any. It owns only the thread of its event loop, on which no user code runs.
public final class RemoteSession: Sendable {
    /// Options of a session.
    public struct Options: Sendable {
        /// The highest number of published tasks that the broker has not confirmed.
        public var unconfirmed = 1_000
        /// The highest number of tasks at the broker and its workers.
        ///
        /// Further tasks wait in the session.
        public var inFlight = 20_000
        /// How often a task is delivered again after its worker died.
        ///
        /// After that, the task fails with ``UndeliverableError``.
        public var deliveryLimit = 3
        /// How long the session tries to reconnect to a broker that it has lost.
        public var patience: Duration = .seconds(200)
        /// The priority of the job, 0 to 9.
        ///
        /// In each round of a worker that serves several jobs, the job has as many tasks as its
        /// priority and one more.
        public var priority = 0
        /// Whether later runs of the job keep failures instead of trying again.
        public var remembersFailures = false
        /// The log for waits and refused messages, at level info.
        public var logger = Logger(label: "RemoteJobs.RemoteSession")
        /// How long the session waits for answers.
        var pace = SessionPace()

        /// Creates options with the default values.
        public init() {}

        /// Creates options.
        ///
        /// - Parameters:
        ///   - unconfirmed: The highest number of published tasks that are not confirmed.
        ///   - inFlight: The highest number of tasks at the broker and its workers.
        ///   - deliveryLimit: How often a task is delivered again after its worker died.
        ///   - patience: How long the session tries to reconnect to a broker that it has lost.
        ///   - priority: The job's priority, 0 to 9.
        ///   - remembersFailures: Whether later runs of the job keep failures.
        ///   - logger: The log for waits and refused messages.
        public init(
            unconfirmed: Int = 1_000,
            inFlight: Int = 20_000,
            deliveryLimit: Int = 3,
            patience: Duration = .seconds(200),
            priority: Int = 0,
            remembersFailures: Bool = false,
            logger: Logger = Logger(label: "RemoteJobs.RemoteSession")
        ) {
            self.unconfirmed = unconfirmed
            self.inFlight = inFlight
            self.deliveryLimit = deliveryLimit
            self.patience = patience
            self.priority = priority
            self.remembersFailures = remembersFailures
            self.logger = logger
        }
    }

    /// Statistics of a session so far.
    public struct Counts: Sendable, Hashable {
        /// Published tasks.
        ///
        /// A repeated publication counts again.
        public let published: Int
        /// Tasks that an earlier run has published and that this session waited for.
        public let adopted: Int
        /// Tasks with a known outcome from an earlier run.
        public let knownOutcomes: Int
        /// Outcomes of tasks that already had an outcome.
        public let duplicateOutcomes: Int
        /// Messages of the job's stream that were invalid and therefore dropped.
        public let refusedMessages: Int
    }

    /// The job's ID.
    public let job: String
    let loop: SessionLoop

    /// Creates a session of one broker without opening it.
    ///
    /// - Parameters:
    ///   - job: The job's ID, any text of 1 to 100 bytes. The ID of an earlier session resumes its
    ///     job.
    ///   - brokers: The broker's nodes, at least one.
    ///   - options: The options.
    public convenience init(
        job: String,
        brokers: [BrokerAddress],
        options: Options = Options()
    ) {
        self.init(job: job, brokers: [brokers], options: options)
    }

    /// Creates a session with several independent brokers without opening it.
    ///
    /// Each job is at one of these brokers, which its ID selects. Therefore, all sessions of a job
    /// must name the same brokers in the same order. Workers that name all brokers serve the job at
    /// any of them.
    ///
    /// - Parameters:
    ///   - job: The job's ID, any text of 1 to 100 bytes. The ID of an earlier session resumes its
    ///     job.
    ///   - brokers: The brokers, at least one, each with its nodes, at least one.
    ///   - options: The options.
    public init(job: String, brokers: [[BrokerAddress]], options: Options = Options()) {
        precondition(!brokers.isEmpty, "RemoteJobs: a session has at least one broker")
        self.job = job
        let place = Int(InputDigest(of: job.utf8).mixed % UInt64(brokers.count))
        loop = SessionLoop(job: Name(job), brokers: brokers[place], options: options)
    }

    /// Connects, acquires the job's lock, and reads the results of earlier runs.
    ///
    /// - Throws: ``InvalidNameError`` if the job's ID is empty or too long. ``BrokerRefusedError``
    ///   at once. ``BrokerUnreachableError`` after 30 s without a broker. ``JobRunningError``
    ///   within 20 s if another session of the job stays open.
    public func open() async throws {
        guard BrokerName.isValid(Name(job)) else { throw InvalidNameError(name: job) }
        try await loop.open()
    }

    /// Ends the session.
    ///
    /// Unfinished tasks fail with ``SessionClosedError``, and wait at the broker for the next run
    /// of the job.
    public func close() async {
        // Only removal throws.
        try? await loop.close()
    }

    /// Ends the session and optionally removes the job.
    ///
    /// Unfinished tasks fail with ``SessionClosedError``. If the job is removed, everything that
    /// the broker stores for it is deleted, and a new session with the same ID starts from the
    /// beginning. If the broker is lost, or accepts nothing because it lacks memory or disk, the
    /// removal waits for it. It waits for the session's ``Options/patience``, at most 30 s.
    ///
    /// - Parameter removingJob: Whether the job is removed.
    /// - Throws: ``JobNotRemovedError``. The session has ended in this case too.
    public func close(removingJob: Bool) async throws {
        try await loop.close(removingJob: removingJob)
    }

    /// The number of outcomes that were dropped because their task already had one.
    public var duplicateOutcomes: Int { counts.duplicateOutcomes }

    /// Statistics of the session so far.
    public var counts: Counts {
        let (counts, refused) = loop.counts
        return Counts(
            published: counts.published,
            adopted: counts.adopted,
            knownOutcomes: counts.knownOutcomes,
            duplicateOutcomes: counts.duplicateOutcomes,
            refusedMessages: refused
        )
    }
}

/// How long a session waits for an answer before it uses its fallback.
///
/// Tests of the fallbacks use shorter times.
struct SessionPace {
    /// How long a broker may take for all declarations and the first delivery.
    var longestTry = Layout.longestTry
    /// The interval of the stream's monitor.
    var streamTick = StreamMonitor.tick
    /// How long another controller may hold the job's lock while the session opens.
    var lockPatience = SessionStateMachine.lockPatience
}
