import AMQP
import JobKit
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
    nonisolated let prefetch: Int
    private nonisolated let queue: TaskQueue
    private nonisolated let registered = Mutex<[String: RegisteredWork]>([:])
    nonisolated let start = ContinuousClock.now

    var ledger: Ledger
    var nodes: BrokerNodes
    var link: Link?
    /// The connection of a try that is under way.
    var trying: Connection?
    var generation = 0
    var controlOffset: Int?
    var controlRead: EventLoopPromise<Void>?
    var backoff = Backoff()
    var hasBeenConnected = false
    var ended: CheckedContinuation<Void, any Error>?
    private var running: [PublicationID: RunningTask] = [:]
    var outcomes: [PublicationID: Outcome] = [:]
    private var notes = WorkerNotes()
    private var isNoteDue = false
    private var isProgressDue = false
    private var lastSeen = ContinuousClock.now

    init(name: String, brokers: [BrokerAddress], width: Int, prefetch: Int) {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        self.eventLoop = eventLoop
        unownedExecutor = eventLoop.executor.asUnownedSerialExecutor()
        identity = WorkerIdentity(name: name, instance: PublicationID.newLife())
        self.prefetch = prefetch
        queue = TaskQueue(name: "Worker \(name)", maxConcurrentOperationCount: width)
        ledger = Ledger(width: width)
        nodes = BrokerNodes(brokers)
    }

    nonisolated var routes: [String] { registered.withLock { $0.keys.sorted() } }

    nonisolated func register(_ work: RegisteredWork, for route: String) {
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
        let waiting = ended
        ended = nil
        if let error { waiting?.resume(throwing: error) } else { waiting?.resume() }
    }

    /// Notes each second that the process runs.
    private func tick() {
        guard ended != nil else { return }
        noticePause()
        after(.seconds(1)) { $0.tick() }
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
    func received(_ message: Message, isSuspect: Bool) {
        noticePause()
        guard let link else { return }
        let tag = Ledger.Tag(isSuspect: isSuspect, number: message.deliveryTag)
        if !isSuspect { link.acknowledgements.delivered() }
        guard let task = Envelope.task(in: message) else {
            // Nobody here has published it.
            return link.reject(tag, requeue: false)
        }
        // A suspect has had these in its first queue.
        let earlier = isSuspect ? Int(Layout.returnLimit) + 1 : 0
        carryOut(
            ledger.delivered(
                task.id,
                task,
                attempt: earlier + 1 + Envelope.returns(of: message),
                limit: task.limit,
                tag: tag
            )
        )
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
        let route = task.routingKey.prefix { $0 != "." }
        let box = RunningTask()
        running[id] = box
        notes.started(task, attempt: attempt)
        noteSoon()
        let context = RemoteContext(key: task.key, attempt: attempt, worker: identity.name) {
            [weak self] fraction in
            self?.onLoop { $0.progressed(task, fraction) }
        }
        guard let work = registered.withLock({ $0[String(route)] }) else {
            // A queue delivers what it is bound for, and it is bound for what is registered.
            return runEnded(id, task, .stopped, attempt)
        }
        let body = task.body
        let queue = queue
        Task.detached {
            let end = await work.run(body, context, box, queue)
            await self.runEnded(id, task, end, attempt)
        }
    }

    private func runEnded(
        _ id: PublicationID,
        _ task: Envelope.TaskMessage,
        _ end: RegisteredWork.End,
        _ attempt: Int
    ) {
        noticePause()
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
        link.out.publish(to: Layout.tasks, key: task.routingKey, task.properties, task.body) {
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
                for note in SizeLimit.notes(tasks, key: \.key) {
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

    func write(_ kind: Envelope.Kind, _ id: String? = nil, to job: String, _ body: ByteBuffer) {
        link?.streams
            .write(to: Layout.stream(of: job), Envelope.mark(kind, id, by: identity), body)
    }
}
