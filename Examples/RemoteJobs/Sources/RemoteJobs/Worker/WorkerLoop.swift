import AMQP
import JobKit
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Does what a worker's ledger decides, on one event loop.
///
/// The actor's executor is the event loop of its connection. The work itself runs elsewhere, on a
/// queue of the worker's width.
actor WorkerLoop {
    typealias Ledger = WorkerLedger<Envelope.TaskMessage>

    /// After so long without running, the process was stopped, and its connection is cut off.
    private static let longestPause = Duration.seconds(8)
    /// How long a worker that is to end keeps trying to tell its last outcomes.
    static let lastWords = Duration.seconds(15)

    nonisolated let eventLoop: any EventLoop
    nonisolated let unownedExecutor: UnownedSerialExecutor
    nonisolated let identity: WorkerIdentity
    nonisolated let logger: Logger
    /// Whether the worker goes on without this broker, since it has others.
    private nonisolated let isOneOfMany: Bool
    /// How long a task runs at most, if somebody has said it.
    nonisolated let longestTask: Duration?
    private nonisolated let queue: TaskQueue
    private nonisolated let registered = Mutex<[Name: RegisteredWork]>([:])
    nonisolated let start = ContinuousClock.now

    var ledger: Ledger
    var nodes: BrokerNodes
    var link: Link?
    /// The connection of a try that is under way.
    var trying: Connection?
    var generation = 0
    var controlOffset: Int?
    var controlRead: EventLoopPromise<Void>?
    /// How many tries to reach a broker have failed since the last that succeeded.
    var failures = 0
    var hasBeenConnected = false
    var ended: CheckedContinuation<Void, any Error>?
    private var running: [PublicationID: RunningTask] = [:]
    var outcomes: [PublicationID: Outcome] = [:]
    private var notes = WorkerNotes()
    private var isNoteDue = false
    private var isProgressDue = false
    private var lastSeen = ContinuousClock.now
    /// The jobs that have queues of their own, and for which routes.
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

    /// How many messages were not used.
    nonisolated var refusedCount: Int { refusedSeen.withLock { $0 } }
    var now: Duration { start.duration(to: .now) }
    /// How long the worker tries to reach a broker that it has never reached; nil for ever.
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

    /// Takes no more tasks, from any thread.
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

    /// Ends a worker that has no more to do.
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

    /// Ends a worker that nothing runs on and that finds no broker for its last outcomes.
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

    /// Notes five times a second that the process runs, says what is due, and sees what it holds.
    private func tick() {
        guard ended != nil else { return }
        noticePause()
        for words in waits.due(at: now) { logger.info("\(words)") }
        holdAsPlanned()
        after(.milliseconds(200)) { $0.tick() }
    }

    /// Drops the connection of a process that was stopped, before anything that it held is run.
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
    ///   - route: The route of the queue that it came from.
    ///   - source: The number of the consumer that it came to.
    func received(_ message: Message, from route: Name, source: Int) {
        noticePause()
        guard link != nil else { return }
        let tag = Ledger.Tag(source: source, number: message.deliveryTag)
        do {
            let task = try Intake.task(in: message, from: route)
            // A suspect has had these in its first queue.
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

    /// Counts a message that is not used, and puts it where one may look at it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - queue: What the queue is called that it came from.
    ///   - reason: Why it is not used.
    ///   - moved: Done when it is there.
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
            // A queue delivers what it is bound for, and it is bound for what is registered.
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

    /// Publishes a task anew, so that its return does not count against it, then acknowledges it.
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

    /// Says which tasks have begun; those that have ended by now need no word.
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
