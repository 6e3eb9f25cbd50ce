/// One controller's life of one job: its connection to the broker, and what is known of its tasks.
///
/// ```swift
/// let session = RemoteSession(job: "nightly", brokers: try BrokerAddress.parse(url))
/// try await session.open()
/// try await job.run()
/// await session.close()
/// ```
///
/// A session that is opened with the job id of an earlier one goes on where that one ended: a task
/// whose outcome is known finishes at once, one that is queued or running is adopted. Only one
/// session of a job can be open at a time.
///
/// > Thread: Any. It owns no thread but its event loop's, on which no code of its user runs.
public final class RemoteSession: Sendable {
    /// How a session works.
    public struct Options: Sendable {
        /// How many tasks may be published before the broker has confirmed one of them.
        public var unconfirmed = 1_000
        /// How many tasks may be with the broker and its workers at a time; others wait here.
        public var inFlight = 20_000
        /// How often a task goes out again after its worker died; then it is ``Undeliverable``.
        public var deliveryLimit = 3
        /// How long the session tries to reach a broker that it has lost.
        public var patience: Duration = .seconds(200)

        /// Options with the values given above.
        public init() {}

        /// Options with some values of one's own.
        ///
        /// - Parameters:
        ///   - unconfirmed: How many tasks may be published and not confirmed.
        ///   - inFlight: How many tasks may be with the broker and its workers.
        ///   - deliveryLimit: How often a task goes out again after its worker died.
        ///   - patience: How long the session tries to reach a broker that it has lost.
        public init(
            unconfirmed: Int = 1_000,
            inFlight: Int = 20_000,
            deliveryLimit: Int = 3,
            patience: Duration = .seconds(200)
        ) {
            self.unconfirmed = unconfirmed
            self.inFlight = inFlight
            self.deliveryLimit = deliveryLimit
            self.patience = patience
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
    }

    /// The job's id.
    public let job: String
    let loop: SessionLoop

    /// Makes a session that is not opened yet.
    ///
    /// - Parameters:
    ///   - job: The job's id, any text of 1 to 100 bytes: the same one resumes.
    ///   - brokers: The broker's nodes, at least one.
    ///   - options: How it works.
    public init(job: String, brokers: [BrokerAddress], options: Options = Options()) {
        self.job = job
        loop = SessionLoop(job: job, brokers: brokers, options: options)
    }

    /// Connects, takes the job's lock, and reads what earlier lives did.
    ///
    /// - Throws: ``WrongName`` for a job's id that is empty or too long; ``BrokerRefused`` at once;
    ///   ``BrokerUnreachable`` after 30 s without a broker; ``JobIsRunning`` within 20 s, if another
    ///   session of the job stays open.
    public func open() async throws {
        guard BrokerName.isValid(job) else { throw WrongName(name: job) }
        try await loop.open()
    }

    /// Ends the session.
    ///
    /// Tasks that are not finished fail with ``SessionClosed``, and wait at the broker for the next
    /// life of the job.
    ///
    /// - Parameter removingJob: Whether the job is forgotten: what the broker knows of it is
    ///   deleted, and a session of the same id begins anew.
    public func close(removingJob: Bool = false) async {
        await loop.close(removingJob: removingJob)
    }

    /// How many outcomes came of tasks that had one already; they were dropped.
    public var duplicateOutcomes: Int { counts.duplicateOutcomes }

    /// What the session has counted so far.
    public var counts: Counts {
        let counts = loop.counts
        return Counts(
            published: counts.published,
            adopted: counts.adopted,
            knownOutcomes: counts.knownOutcomes,
            duplicateOutcomes: counts.duplicateOutcomes
        )
    }
}
