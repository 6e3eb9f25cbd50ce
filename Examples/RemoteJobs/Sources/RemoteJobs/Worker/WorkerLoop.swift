import AMQP
import JobKit
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Carries out the decisions of a worker's ledger on one event loop.
///
/// The actor's executor is the event loop of its connection. The work itself runs on a queue that
/// is limited to the worker's width.
actor WorkerLoop {
    typealias Ledger = WorkerLedger<Envelope.TaskMessage>

    /// After a longer pause, the process was suspended, and its connection is aborted.
    private static let longestPause = Duration.seconds(8)
    /// How long an ending worker tries to send its last outcomes.
    static let lastWords = Duration.seconds(15)

    nonisolated let eventLoop: any EventLoop
    nonisolated let unownedExecutor: UnownedSerialExecutor
    nonisolated let identity: WorkerIdentity
    nonisolated let logger: Logger
    /// Whether the worker can continue without this broker, because it has others.
    private nonisolated let isOneOfMany: Bool
    /// The longest time of a task, if known.
    nonisolated let longestTask: Duration?
    private nonisolated let queue: TaskQueue
    private nonisolated let registered = Mutex<[Name: RegisteredWork]>([:])
    nonisolated let start = ContinuousClock.now

    var ledger: Ledger
    var nodes: BrokerNodes
    var link: Link?
    /// The connection of the current attempt.
    var trying: Connection?
    var generation = 0
    var controlOffset: Int?
    var controlRead: EventLoopPromise<Void>?
    /// The number of failed connection attempts since the last success.
    var failures = 0
    var hasBeenConnected = false
    var ended: CheckedContinuation<Void, any Error>?
    private var running: [PublicationID: RunningTask] = [:]
    var outcomes: [PublicationID: Outcome] = [:]
    private var notes = WorkerNotes()
    private var isNoteDue = false
    private var isProgressDue = false
    private var lastSeen = ContinuousClock.now
    /// The routes of each job that has its own queues.
    var jobs: [Name: Set<Name>] = [:]
    var waits = Waits()
    var refusals = Refusals()
    var plan: PrefetchPlan
    private nonisolated let refusedSeen = Mutex(0)

    init(
        name: Name,
        brokers: [BrokerAddress],
        isOneOfMany: Bool,
        width: Int,
        prefetch: Int,
        longestTask: Duration?,
        queue: TaskQueue,
        logger: Logger
    ) {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        self.eventLoop = eventLoop
        unownedExecutor = eventLoop.executor.asUnownedSerialExecutor()
        identity = WorkerIdentity(name: name, instance: Name(PublicationID.newLife()))
        self.isOneOfMany = isOneOfMany
        self.longestTask = longestTask
        self.queue = queue
        var logger = logger
        logger[metadataKey: "worker.name"] = "\(name)"
        self.logger = logger
        plan = PrefetchPlan(width: width, most: prefetch)
        ledger = Ledger(width: width)
        nodes = BrokerNodes(brokers)
    }

    /// The number of refused messages.
    nonisolated var refusedCount: Int { refusedSeen.withLock { $0 } }
    var now: Duration { start.duration(to: .now) }
    /// How long the worker tries to reach a broker for the first time.
    ///
    /// Nil means forever.
    var openingPatience: Duration? { isOneOfMany ? nil : .seconds(30) }
    nonisolated var routes: [Name] { registered.withLock { $0.keys.sorted() } }

    nonisolated func register(_ work: RegisteredWork, for route: Name) {
        registered.withLock { $0[route] = work }
    }

    nonisolated func onLoop(_ body: @escaping @Sendable (isolated WorkerLoop) -> Void) {
        eventLoop.execute { self.assumeIsolated(body) }
    }

    nonisolated func after(
        _ delay: Duration,
        _ body: @escaping @Sendable (isolated WorkerLoop) -> Void
    ) {
        eventLoop.scheduleTask(in: TimeAmount(delay)) { self.assumeIsolated(body) }
    }

    // MARK: Life

    func run() async throws {
        try await withCheckedThrowingContinuation { continuation in
            ended = continuation
            if ledger.isDraining { return endIfIdle() }
            waitForBroker("no answer")
            tick()
            Task { await connect() }
        }
    }

    /// Stops taking tasks.
    ///
    /// May be called on any thread.
    nonisolated func drain() {
        onLoop { loop in
            guard !loop.ledger.isDraining else { return }
            loop.stopConsuming()
            loop.carryOut(loop.ledger.drainRequested())
            loop.flushNotes()
            loop.endIfIdle()
            loop.after(WorkerLoop.lastWords) { $0.endIfMute() }
        }
    }

    /// Ends a drained worker that has no work left.
    func endIfIdle() {
        guard ledger.isDraining, ledger.isIdle, ended != nil else { return }
        guard let link else { return end() }
        guard link.handBacks == 0 else { return }
        generation += 1
        self.link = nil
        link.connection.onEnd = { [weak self] _ in self?.assumeIsolated { $0.end() } }
        link.sendAcknowledgements()
        link.connection.close()
        after(.seconds(3)) { $0.end() }
    }

    /// Ends a worker without running tasks that finds no broker for its last outcomes.
    private func endIfMute() {
        guard ended != nil else { return }
        if ledger.isQuiet, link == nil { return end() }
        after(WorkerLoop.lastWords) { $0.endIfMute() }
    }

    func end(throwing error: (any Error)? = nil) {
        generation += 1
        stopWaiting()
        let waiting = ended
        ended = nil
        if let error { waiting?.resume(throwing: error) } else { waiting?.resume() }
    }

    /// Detects pauses of the process, logs due waits and adjusts the held tasks, five times a
    /// second.
    private func tick() {
        guard ended != nil else { return }
        noticePause()
        for words in waits.due(at: now) { logger.info("\(words)") }
        holdAsPlanned()
        after(.milliseconds(200)) { $0.tick() }
    }

    /// Drops the connection after a pause of the process, before any held task runs.
    func noticePause() {
        let now = ContinuousClock.now
        defer { lastSeen = now }
        guard lastSeen.duration(to: now) > WorkerLoop.longestPause else { return }
        link?.connection.abort(.silent)
    }

    // MARK: Tasks

    /// Takes a task from the broker.
    ///
    /// - Parameters:
    ///   - message: The task.
    ///   - route: The route of its queue.
    ///   - source: The number of the consumer that received it.
    func received(_ message: Message, from route: Name, source: Int) {
        noticePause()
        guard link != nil else { return }
        let tag = Ledger.Tag(source: source, number: message.deliveryTag)
        do {
            let task = try Intake.task(in: message, from: route)
            // The deliveries from its first queue, before it became a suspect.
            let earlier = tag.isSuspect ? Int(Layout.returnLimit) + 1 : 0
            carryOut(
                ledger.delivered(
                    task.id,
                    task,
                    of: task.job,
                    priority: task.priority,
                    attempt: earlier + 1 + task.returns,
                    limit: task.limit,
                    tag: tag
                )
            )
        } catch {
            let queue = tag.isSuspect ? Layout.suspects(route) : message.routingKey
            refuse(message, from: queue, error.reason) { $0.link?.acknowledge(tag) }
        }
    }

    /// Counts a refused message and copies it for inspection.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - queue: The name of its queue.
    ///   - reason: The reason for the refusal.
    ///   - moved: Called once the broker has answered the copy.
    func refuse(
        _ message: Message,
        from queue: String,
        _ reason: String,
        moved: @escaping @Sendable (isolated WorkerLoop) -> Void
    ) {
        if refusals.refused(from: queue, reason) {
            logger.info("a message of \(queue) is not used: \(reason)")
        }
        let count = refusals.count
        refusedSeen.withLock { $0 = count }
        guard let link else { return }
        let generation = generation
        let (properties, body) = Refusals.report(of: message, from: queue, reason)
        link.out.publish(to: "", key: Layout.refused, properties, body) { [weak self] outcome in
            self?
                .assumeIsolated { loop in
                    guard loop.generation == generation, outcome != .lost else { return }
                    moved(loop)
                }
        }
    }

    func carryOut(_ actions: [Ledger.Action]) {
        for action in actions {
            switch action {
            case .run(let id, let task, let attempt): run(id, task, attempt)
            case .publish(let id): publish(id)
            case .acknowledge(let tag): link?.acknowledge(tag)
            case .giveUp(let tag, let task): giveUp(tag, task)
            case .handBack(let tag, let task): handBack(tag, task)
            case .cancel(let id): running[id]?.cancel()
            }
        }
    }

    private func run(_ id: PublicationID, _ task: Envelope.TaskMessage, _ attempt: Int) {
        let box = RunningTask()
        running[id] = box
        notes.started(task, attempt: attempt)
        noteSoon()
        let context = RemoteContext(
            key: task.key.text,
            attempt: attempt,
            worker: identity.name.text
        ) {
            [weak self] fraction in
            self?.onLoop { $0.progressed(task, fraction) }
        }
        let begin = ContinuousClock.now
        guard let work = registered.withLock({ $0[task.route] }) else {
            // Unreachable, because the queue is bound only to routes with registered work.
            return runEnded(id, task, .stopped, attempt)
        }
        let body = task.body
        let queue = queue
        Task.detached {
            let end = await work.run(body, context, box, queue)
            await self.runEnded(id, task, end, attempt, since: begin)
        }
    }

    private func runEnded(
        _ id: PublicationID,
        _ task: Envelope.TaskMessage,
        _ end: RegisteredWork.End,
        _ attempt: Int,
        since begin: ContinuousClock.Instant? = nil
    ) {
        noticePause()
        if let begin { plan.ran(begin.duration(to: .now) / .seconds(1)) }
        running[id] = nil
        notes.ended(task)
        outcomes[id] = Outcome(task: task, end: end, attempt: attempt)
        carryOut(ledger.runEnded(id))
    }

    /// Publishes a task again, so that its return does not count, and then acknowledges it.
    private func handBack(_ tag: Ledger.Tag, _ task: Envelope.TaskMessage) {
        guard let link else { return }
        guard !tag.isSuspect else { return link.reject(tag, requeue: true) }
        link.handBacks += 1
        let generation = generation
        let properties = Envelope.propertiesToPutBack(task)
        link.out.publish(to: Layout.tasks, key: task.routingKey, properties, task.body) {
            [weak self] outcome in
            self?
                .assumeIsolated { loop in
                    guard loop.generation == generation, let link = loop.link else { return }
                    link.handBacks -= 1
                    if outcome == .confirmed {
                        link.acknowledge(tag)
                    } else {
                        link.reject(tag, requeue: true)
                    }
                    loop.endIfIdle()
                }
        }
    }

    // MARK: Notes

    private func noteSoon() {
        guard !isNoteDue else { return }
        isNoteDue = true
        after(.milliseconds(5)) { $0.flushNotes() }
    }

    private func progressed(_ task: Envelope.TaskMessage, _ fraction: Double) {
        notes.progressed(task, fraction)
        guard !isProgressDue else { return }
        isProgressDue = true
        after(.milliseconds(200)) { loop in
            loop.isProgressDue = false
            for (job, tasks) in loop.notes.takeProgress() {
                for note in SizeLimit.notes(tasks, key: \.0.key) {
                    loop.write(.progress, to: job, Envelope.body(of: note))
                }
            }
        }
    }

    /// Writes the starts of tasks.
    ///
    /// Tasks that have already ended are skipped.
    func flushNotes() {
        isNoteDue = false
        guard link?.isReady == true else { return }
        for (job, tasks) in notes.takeStarted() {
            for note in SizeLimit.notes(tasks, key: \.0.key) {
                write(.started, to: job, Envelope.body(of: note))
            }
        }
    }

    func write(_ kind: Envelope.Kind, _ id: String? = nil, to job: Name, _ body: ByteBuffer) {
        link?.streams
            .write(to: Layout.stream(of: job), Envelope.mark(kind, id, by: identity), body)
    }
}
