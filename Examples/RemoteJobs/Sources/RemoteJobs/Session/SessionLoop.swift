import AMQP
import Foundation
import JobKit
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Carries out the decisions of a session's state machines on one event loop.
///
/// The actor's executor is the event loop of its connection. Therefore, it needs no locks, and the
/// connection's callbacks already run on its executor. Operations are notified on a separate queue,
/// so that user code never runs on the event loop.
actor SessionLoop {
    typealias Ledger = JobLedger<Ticket, ByteBuffer>

    /// A task and its encoded input.
    struct Ticket: Sendable {
        let task: any RemoteTask
        let body: ByteBuffer
    }

    nonisolated let eventLoop: any EventLoop
    nonisolated let unownedExecutor: UnownedSerialExecutor
    nonisolated let job: Name
    nonisolated let life = PublicationID.newLife()
    nonisolated let options: RemoteSession.Options
    nonisolated let logger: Logger
    private nonisolated let countsSeen = Mutex((Ledger.Counts(), refused: 0))
    /// The current waits, for the status notes of operations.
    nonisolated let waitsSeen = Mutex<[Waits.Cause: String]>([:])
    private nonisolated let tellQueue = DispatchQueue(label: "RemoteJobs.outcomes")
    private nonisolated let start = ContinuousClock.now

    var machine: SessionStateMachine
    var ledger: Ledger
    var nodes: BrokerNodes
    /// The connection in use or in preparation.
    var link: Link?
    /// The connection of the current attempt.
    var trying: Connection?
    var generation = 0
    /// The generation of the first usable connection.
    var firstGeneration: Int?
    /// Whether the workers of cancelled tasks are being checked.
    var isAsking = false
    /// Whether consumers will be counted shortly.
    var isCountDue = false
    var lastReason = "no answer"
    var lastBroker = ""
    var nextOffset: Int?
    var ending: (any Error)?
    private var openWaiters: [CheckedContinuation<Void, any Error>] = []
    private var tellings: [@Sendable () -> Void] = []
    var queuedNotes: [Ledger.Record.Task] = []
    var waits = Waits()
    var refusals = Refusals()
    var reading = OutcomeReading()
    /// The number of the current reading of outcomes.
    var readingCount = 0
    /// Whether a reading of outcomes is scheduled.
    var isReadingDue = false
    /// Whether the job was removed.
    var isRemoved = false
    /// The time of the last announcement of the job's queues.
    var lastAnnouncement: Duration?
    var declaringRoutes: Set<Name> = []
    /// The routes to declare when publishing resumes.
    var refusedRoutes: Set<Name> = []
    private var isPumpScheduled = false

    init(job: Name, brokers: [BrokerAddress], options: RemoteSession.Options) {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        self.eventLoop = eventLoop
        unownedExecutor = eventLoop.executor.asUnownedSerialExecutor()
        self.job = job
        self.options = options
        var logger = options.logger
        logger[metadataKey: "job.id"] = "\(job)"
        self.logger = logger
        nodes = BrokerNodes(brokers)
        machine = SessionStateMachine(
            patience: options.patience,
            lockPatience: options.pace.lockPatience
        )
        ledger = Ledger(
            life: life,
            limits: .init(
                unconfirmed: max(1, options.unconfirmed),
                inFlight: max(1, options.inFlight)
            ),
            remembersFailures: options.remembersFailures
        )
    }

    nonisolated var counts: (Ledger.Counts, refused: Int) { countsSeen.withLock { $0 } }
    var inFlightCount: Int { ledger.inFlightCount }
    var keptOutcomeBytes: Int { ledger.earlier.keptBytes }
    var now: Duration { start.duration(to: .now) }

    // MARK: From any thread

    nonisolated func submit(
        _ task: any RemoteTask,
        key: Name,
        route: Name,
        body: ByteBuffer
    ) {
        let digest = InputDigest(of: body.readableBytesView).value
        onLoop { loop in loop.submitted(Ticket(task: task, body: body), key, route, digest) }
    }

    nonisolated func cancel(_ task: any RemoteTask, _ name: TaskName) {
        onLoop { loop in
            loop.carryOut(loop.ledger.cancelRequested(name) { $0.task === task })
        }
    }

    nonisolated func onLoop(_ body: @escaping @Sendable (isolated SessionLoop) -> Void) {
        eventLoop.execute { self.assumeIsolated(body) }
    }

    nonisolated func after(
        _ delay: Duration,
        _ body: @escaping @Sendable (isolated SessionLoop) -> Void
    ) {
        eventLoop.scheduleTask(in: TimeAmount(delay)) { self.assumeIsolated(body) }
    }

    private func submitted(_ ticket: Ticket, _ key: Name, _ route: Name, _ digest: UInt64) {
        if let ending {
            return tell { ticket.task.settle(.abandoned, ending) }
        }
        // If the cancellation overtook the submission, it found nothing to cancel.
        guard !ticket.task.isCancelled else {
            return tell { ticket.task.settle(.ended(.stopped), CancellationError()) }
        }
        carryOut(ledger.submitted(ticket, key: key, route: route, digest: digest))
    }

    // MARK: Opening and ending

    func open() async throws {
        guard machine.state != .open else { return }
        if let ending { throw ending }
        try await withCheckedThrowingContinuation { continuation in
            openWaiters.append(continuation)
            waitForBroker("no answer")
            tick()
            perform(machine.openRequested(at: now))
        }
    }

    func perform(_ actions: [SessionStateMachine.Action]) {
        for action in actions {
            switch action {
            case .connect: Task { await connect() }
            case .retry(afterFailures: let count):
                let delay = Backoff.wait(afterFailures: count, of: ConnectionError.transportLost)
                after(delay) { $0.perform($0.machine.retryDue()) }
            case .retryForLock(let delay): after(delay) { $0.perform($0.machine.retryDue()) }
            case .opened: resumeOpeners(nil)
            case .giveUp(let reason): end(reason)
            }
        }
    }

    private func end(_ reason: SessionStateMachine.Reason) {
        let error: any Error =
            switch reason {
            case .refused: BrokerRefusedError(broker: lastBroker, reason: lastReason)
            case .unreachable:
                BrokerUnreachableError(brokers: nodes.description, reason: lastReason)
            case .jobIsRunning: JobRunningError(job: job.text)
            case .lost: BrokerLostError(brokers: nodes.description, reason: lastReason)
            case .closed: SessionClosedError()
            }
        ending = error
        stopWaiting()
        resumeOpeners(error)
        carryOut(ledger.abandoned())
        generation += 1
        link?.connection.abort(.closedHere)
        link = nil
    }

    private func resumeOpeners(_ error: (any Error)?) {
        let waiters = openWaiters
        openWaiters = []
        for waiter in waiters {
            if let error { waiter.resume(throwing: error) } else { waiter.resume() }
        }
    }

    // MARK: Acting for the ledger

    func carryOut(_ actions: [Ledger.Action]) {
        for action in actions {
            switch action {
            case .declare(let route): declare(route)
            case .noteQueued(let task): noteQueued(task)
            case .noteWithdrawn(let tasks):
                writeNotes(.withdrawn, tasks)
            case .settle(let ticket, let settlement):
                let ending = self.ending ?? SessionClosedError()
                tell { ticket.task.settle(settlement, ending) }
            case .tellStarted(let ticket, let worker, let attempt):
                tell { ticket.task.started(on: worker.name.text, attempt: attempt) }
            case .tellProgress(let ticket, let fraction):
                tell { ticket.task.progressed(fraction) }
            case .readAgain(let name, let offset):
                readAgain(name, at: offset)
            case .cancelSoon:
                after(.milliseconds(2)) { $0.sendCancels() }
            }
        }
        schedulePump()
    }

    /// Schedules the notification of an operation, together with others.
    func tell(_ body: @escaping @Sendable () -> Void) {
        tellings.append(body)
        schedulePump()
    }

    /// Publishes and notifies once the code that runs now has returned.
    func schedulePump() {
        guard !isPumpScheduled else { return }
        isPumpScheduled = true
        onLoop { $0.pump() }
    }

    private func pump() {
        isPumpScheduled = false
        if let link, link.isReady, !link.isBlocked, !link.isRefused {
            while let publication = ledger.nextToPublish() { publish(publication, on: link) }
        }
        let counts = (ledger.counts, refused: refusals.count)
        countsSeen.withLock { $0 = counts }
        guard !tellings.isEmpty else { return }
        let bodies = tellings
        tellings = []
        tellQueue.async {
            for body in bodies { body() }
        }
    }

    /// Writes a record into the job's stream.
    func write(_ properties: MessageProperties, _ body: ByteBuffer) {
        link?.streams.write(to: Layout.stream(of: job), properties, body)
    }
}
