import Logging

/// One controller's life of one job: its connection to the broker, and what is known of its tasks.
///
/// ```swift
/// let session = RemoteSession(job: "nightly", brokers: try BrokerAddress.parse(url))
/// try await session.open()
/// try await job.run()
/// await session.close()
/// ```
///
/// A job id is a memo. A session that is opened with the id of an earlier one goes on where that one
/// ended: a task that has succeeded finishes at once with the value of then, one that is queued or
/// running is adopted. A task that has failed runs again, unless ``Options/remembersFailures`` is
/// set. Only one session of a job can be open at a time.
///
/// > Thread: Any. It owns no thread but its event loop's, on which no code of its user runs.
public final class RemoteSession: Sendable {
    /// How a session works.
    public struct Options: Sendable {
        /// How many tasks may be published before the broker has confirmed one of them.
        public var unconfirmed = 1_000
        /// How many tasks may be with the broker and its workers at a time; others wait here.
        public var inFlight = 20_000
        /// How often a task goes out again after its worker died; then it is ``UndeliverableError``.
        public var deliveryLimit = 3
        /// How long the session tries to reach a broker that it has lost.
        public var patience: Duration = .seconds(200)
        /// The job's priority, 0 to 9: where jobs take turns at a worker, the job has this and one
        /// more tasks in a round.
        public var priority = 0
        /// Whether a later life of the job takes over failures too, and does not try again.
        public var remembersFailures = false
        /// Where the session says what it waits for, and which messages it does not use, at level
        /// info.
        public var logger = Logger(label: "RemoteJobs.RemoteSession")
        /// How long the session waits for answers.
        var pace = SessionPace()

        /// Options with the values given above.
        public init() {}

        /// Options with some values of one's own.
        ///
        /// - Parameters:
        ///   - unconfirmed: How many tasks may be published and not confirmed.
        ///   - inFlight: How many tasks may be with the broker and its workers.
        ///   - deliveryLimit: How often a task goes out again after its worker died.
        ///   - patience: How long the session tries to reach a broker that it has lost.
        ///   - priority: The job's priority, 0 to 9.
        ///   - remembersFailures: Whether a later life of the job takes over failures too.
        ///   - logger: Where the session says what it waits for.
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

    /// What a session has counted so far.
    public struct Counts: Sendable, Hashable {
        /// Tasks that were published, those published again included.
        public let published: Int
        /// Tasks that an earlier life had published, and that were waited for.
        public let adopted: Int
        /// Tasks whose outcome was known from an earlier life.
        public let knownOutcomes: Int
        /// Outcomes of tasks that had one.
        public let duplicateOutcomes: Int
        /// Messages of the job's stream that have no meaning there; they were dropped.
        public let refusedMessages: Int
    }

    /// The job's id.
    public let job: String
    let loop: SessionLoop

    /// Makes a session of one broker that is not opened yet.
    ///
    /// - Parameters:
    ///   - job: The job's id, any text of 1 to 100 bytes: the same one resumes.
    ///   - brokers: The broker's nodes, at least one.
    ///   - options: How it works.
    public convenience init(
        job: String,
        brokers: [BrokerAddress],
        options: Options = Options()
    ) {
        self.init(job: job, brokers: [brokers], options: options)
    }

    /// Makes a session of one of several independent brokers that is not opened yet.
    ///
    /// A job lives on one of them, chosen by its id; so each session of a job has to name the same
    /// brokers in the same order. Workers that name them all serve it wherever it is.
    ///
    /// - Parameters:
    ///   - job: The job's id, any text of 1 to 100 bytes: the same one resumes.
    ///   - brokers: The brokers, at least one, each with its nodes, at least one.
    ///   - options: How it works.
    public init(job: String, brokers: [[BrokerAddress]], options: Options = Options()) {
        precondition(!brokers.isEmpty, "RemoteJobs: a session has at least one broker")
        self.job = job
        let place = Int(InputDigest(of: job.utf8).mixed % UInt64(brokers.count))
        loop = SessionLoop(job: Name(job), brokers: brokers[place], options: options)
    }

    /// Connects, takes the job's lock, and reads what earlier lives did.
    ///
    /// - Throws: ``InvalidNameError`` for a job's id that is empty or too long; ``BrokerRefusedError`` at once;
    ///   ``BrokerUnreachableError`` after 30 s without a broker; ``JobRunningError`` within 20 s, if another
    ///   session of the job stays open.
    public func open() async throws {
        guard BrokerName.isValid(Name(job)) else { throw InvalidNameError(name: job) }
        try await loop.open()
    }

    /// Ends the session.
    ///
    /// Tasks that are not finished fail with ``SessionClosedError``, and wait at the broker for the next
    /// life of the job.
    public func close() async {
        // Only removing throws.
        try? await loop.close()
    }

    /// Ends the session, and removes the job or not.
    ///
    /// Tasks that are not finished fail with ``SessionClosedError``. Of a job that is removed, all that
    /// the broker knows is deleted, and a session of the same id begins anew. While the broker is
    /// lost or takes nothing, for want of memory or disk, removing waits for it: as long as the
    /// session's ``Options/patience``, at most 30 s.
    ///
    /// - Parameter removingJob: Whether the job is removed.
    /// - Throws: ``JobNotRemovedError``; the session has ended all the same.
    public func close(removingJob: Bool) async throws {
        try await loop.close(removingJob: removingJob)
    }

    /// How many outcomes came of tasks that had one already; they were dropped.
    public var duplicateOutcomes: Int { counts.duplicateOutcomes }

    /// What the session has counted so far.
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

/// How long a session waits for answers before it takes another way.
///
/// Tests of the other way wait less.
struct SessionPace {
    /// How long a broker may take to declare all that is needed, and to begin to deliver.
    var longestTry = Layout.longestTry
    /// How long a tick of the stream's monitor is.
    var streamTick = StreamMonitor.tick
    /// How long a job's lock may be another's while the session opens.
    var lockPatience = SessionStateMachine.lockPatience
}
