import JobKit
import JobObservability
import JobStore
import Logging
import Synchronization

/// Queues, starts and cancels runs and saves their ends.
///
/// It holds the only lock of its state machines. It relies neither on its database nor on its jobs.
/// A start or end that cannot be saved waits in the store until it can be. A job that does not stop
/// when it is asked to is abandoned.
///
/// > Thread: Any.
final class Runner: Sendable {
    struct State: Sendable {
        var admission: AdmissionStateMachine<Int64, Name>
        /// The number of the latest pauses, because two changes may arrive in the other order.
        var pauseRevision = 0
        var shutdown = ShutdownStateMachine()
        var counts = NewestToldStateMachine()
        var lives: [Int64: RunLifeStateMachine] = [:]
        var runs: [Int64: LiveRun] = [:]
        /// Runs that were cancelled before their start and have no saved end yet.
        var ending: Set<Int64> = []
    }

    /// Time limits of runs, and the handling of runs that exceed them.
    struct Limits: Sendable {
        var grace = Duration.seconds(5)
        var timeLimit: Duration?
        var giveUp = Duration.seconds(30)
        /// How long a cancelled run may take to stop during a shutdown, and its end to be saved.
        var stop = Duration.seconds(2)

        /// The time limit of a kind's runs, with its name.
        func time(of kind: RegisteredKind) -> (limit: Duration, name: String)? {
            let own = kind.timeLimit.map { ($0, "the timeLimit of \(kind.name)") }
            let server = timeLimit.map { ($0, "--time-limit") }
            return [own, server].compactMap { $0 }.min { $0.0 < $1.0 }
        }
    }

    let kinds: JobKinds
    let environment: JobEnvironment
    let store: JobStore
    let board = RunBoard()
    let hub: EventHub
    let metrics: RunMetrics
    let logger: Logger
    let limits: Limits
    let timelines = RecentTimelines()
    let taskViews = SharedViews<TaskView>()
    let timelineViews = SharedViews<Timeline>(interval: 2)
    let places: PlaceSharing
    let journals: RunJournal.Place
    let ends: EndListeners
    /// The time, in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// When the server was started, in milliseconds since 1970.
    let startedAt: Int64

    let state: Mutex<State>
    let finished = AsyncStream<Void>.makeStream()
    // The queue is unlimited, because admission counts the jobs. Only their tasks have limited
    // permits.
    private let starting = TaskQueue(name: "Runs")

    init(
        kinds: JobKinds,
        environment: JobEnvironment,
        store: JobStore,
        hub: EventHub,
        width: Int,
        queueLimit: Int,
        limits: Limits,
        journals: RunJournal.Place,
        metrics: RunMetrics,
        logger: Logger,
        ends: EndListeners = EndListeners(),
        now: @escaping @Sendable () -> Int64 = { RunClock.now }
    ) {
        self.kinds = kinds
        self.environment = environment
        self.store = store
        self.hub = hub
        self.limits = limits
        self.metrics = metrics
        self.logger = logger
        self.ends = ends
        self.journals = journals
        self.now = now
        startedAt = now()
        places = PlaceSharing(width: environment.width)
        state = Mutex(
            State(admission: AdmissionStateMachine(width: width, queueLimit: queueLimit))
        )
        countRuns()
    }

    /// Whether a shutdown has begun.
    var isStopping: Bool { state.withLock { $0.shutdown.isStopping } }

    /// Lets runs start: those that an earlier session of the server has left, and new ones.
    func open(with records: [RunRecord], pauses: StartPauses = StartPauses()) {
        for record in records { board.put(record) }
        start { state in
            _ = state.admission.pausesChanged(isPaused: pauses.isPaused, kinds: pauses.kinds)
            return state.admission.opened(with: records.map(\.entry), at: now())
        }
    }

    // MARK: - Running

    /// Starts the runs that the state machine returns.
    ///
    /// The time is read together with the decision, so that start times follow the order of the
    /// runs.
    func start(_ input: (inout State) -> [Int64]) {
        let (ids, time) = state.withLock { state in
            let ids = input(&state)
            for id in ids {
                state.lives[id] = RunLifeStateMachine()
                state.shutdown.runStarted()
            }
            return (ids, now())
        }
        countRuns()
        for id in ids { Task { await run(id, at: time) } }
    }

    private func run(_ id: Int64, at time: Int64) async {
        do {
            guard let detail = try await store.start(id, at: time) else { return leave(id) }
            board.put(detail.record)
            hub.runChanged(id)
            await run(detail)
        } catch {
            // The file is gone, so the process will end.
            leave(id)
        }
    }

    private func run(_ detail: RunDetail) async {
        let id = detail.record.id
        let made = await onOwnThread { [self] in Result { try makeRun(detail) } }
        switch made {
        case .failure(let error):
            guard case .recordEnd(let end)? = decide(id, { $0.jobNotMade() }) else { return }
            let sentence = (error as? InvalidParameter)?.sentence ?? ErrorText.sentence(error)
            let summary = RunEnd(
                state: end.state,
                finishedAt: now(),
                error: LogText.oneLine(sentence)
            )
            await write(detail.record, summary)
        case .success(let run):
            let action = state.withLock { state in
                state.runs[id] = run
                return state.lives[id]?.jobMade()
            }
            switch action {
            case .startJob?: await perform(run)
            case .recordEnd(let end)?:
                await write(detail.record, RunEnd(state: end.state, finishedAt: run.now), of: run)
            default: break
            }
        }
    }

    private func perform(_ run: LiveRun) async {
        let id = run.detail.record.id
        let overdue = limits.time(of: run.kind)
            .map { limit, _ in
                RunTimer(after: limit) { [self] in
                    guard decide(id, { $0.cancelAsked(by: .timeLimit) }) == .cancelJob else {
                        return
                    }
                    run.cancel(at: run.now)
                }
            }
        defer { overdue?.cancel() }
        do {
            try await run.run(on: starting, giveUp: limits.giveUp)
        } catch is JobStopTimeoutError {
            guard case .recordEnd(let end)? = decide(id, { $0.jobDidNotStop() }) else { return }
            let report = report(of: run)
            let summary = await onOwnThread { report.givenUp(as: end.state) }
            return await write(run.detail.record, summary, of: run)
        } catch {
            // The outcome shows the error.
        }
        // A job without an outcome was cancelled before its start and never runs.
        let outcome = run.job.outcome
        let ending = RunLifeStateMachine.Outcome(outcome ?? .cancelled)
        guard case .recordEnd(let end)? = decide(id, { $0.jobEnded(ending) }) else { return }
        guard outcome != nil else {
            let summary = RunEnd(state: end.state, finishedAt: run.now)
            return await write(run.detail.record, summary, of: run)
        }
        let report = report(of: run)
        let summary = await onOwnThread { [timelines] in
            let summary = report.ended(as: end.state)
            if summary.timeline == nil { timelines.add(run.recorder.timeline, of: id) }
            return summary
        }
        await write(run.detail.record, summary, next: next(after: run, summary), of: run)
    }

    private func makeRun(_ detail: RunDetail) throws -> LiveRun {
        let record = detail.record
        guard let kind = kinds[record.kind] else {
            throw InvalidParameter("kind", "There is no longer a kind of job \(record.kind).")
        }
        let value = try JSONParser.value(of: Array(detail.parameters.utf8))
        let queue = places.queue(of: record.id, limit: kind.width)
        let journal = RunJournal(of: detail.journalID ?? record.id, in: journals)
        let checked = try kind.check(value, in: environment.on(queue, journal))
        if let problem = checked.problem { throw InvalidParameter(nil, problem) }
        let prepared = try checked.makeJob()
        let waited = max(0, (record.startedAt ?? 0) - (record.runAt ?? record.submittedAt))
        let observer = RunObserver(
            RunIdentity(kind: record.kind, id: record.id, attempt: record.attempt),
            queuedFor: .milliseconds(waited),
            logger: logger,
            metrics: metrics
        ) { _ in
            // The end is reported once it is saved, because it may differ from the job's end.
            nil
        }
        if let count = journal.knownSteps {
            Task { [store] in try? await store.noteKnownSteps(count, of: record.id) }
        }
        return LiveRun(detail, kind, prepared, on: queue, observer: observer, journal: journal)
    }

    // MARK: - Ends

    private func report(of run: LiveRun) -> RunReport {
        let isOverdue = state.withLock { $0.lives[run.detail.record.id]?.isOverdue } == true
        return RunReport(run: run, limits: limits, isOverdue: isOverdue)
    }

    /// The next attempt after a failed one, if its kind has one.
    private func next(after run: LiveRun, _ end: RunEnd) -> NewRun? {
        let record = run.detail.record
        guard end.state == .failed,
            let delay = run.kind.attempts.delay(after: record.attempt)
        else { return nil }
        let time = now()
        return NewRun(
            kind: record.kind,
            title: record.title,
            parameters: run.detail.parameters,
            key: run.detail.key,
            previousID: record.id,
            attempt: record.attempt + 1,
            submittedAt: time,
            requested: run.detail.requested,
            priority: record.priority,
            runAt: delay > .zero ? time + Int64(delay / .milliseconds(1)) : nil,
            journalID: run.journal.id
        )
    }

    /// Saves a run's end and then reports it.
    ///
    /// Waits while the store fails.
    func write(_ record: RunRecord, _ end: RunEnd, next: NewRun? = nil, of run: LiveRun? = nil)
        async
    {
        // Closed before the next attempt, which opens it, can start.
        if end.state != .succeeded { await run?.journal.end(succeeded: false) }
        if let written = try? await store.end(record.id, end, next: next) {
            if end.state == .succeeded { await run?.journal.end(succeeded: true) }
            if let run {
                run.observer.runEnded(
                    end.state.rawValue,
                    error: end.error.map { RunEndReason(description: $0) }
                )
            } else {
                metrics.runEnded(kind: record.kind, status: end.state.rawValue, duration: nil)
            }
            board.put(written.record)
            hub.runEnded(record.id)
            ends.tell(written.record)
            if let next = written.next { added(next) }
        }
        leave(record.id)
    }

    /// Queues a run that the server itself has saved.
    func added(_ record: RunRecord) {
        board.put(record)
        hub.runChanged(record.id)
        start { $0.admission.runAdded(record.entry, at: now()) }
    }

    /// Removes a run after its end was saved, and starts the next one.
    private func leave(_ id: Int64) {
        places.runEnded(id)
        let (run, actions) = state.withLock { state in
            state.lives[id] = nil
            return (state.runs.removeValue(forKey: id), state.shutdown.runEnded())
        }
        // Released without a lock, because this may release its job.
        withExtendedLifetime(run) {}
        start { $0.admission.runEnded(id) }
        perform(actions)
    }

    /// Sends an input to a run's state machine.
    func decide(
        _ id: Int64,
        _ input: (inout RunLifeStateMachine) -> RunLifeStateMachine.Action?
    ) -> RunLifeStateMachine.Action? {
        state.withLock { state in
            guard var life = state.lives[id] else { return nil }
            defer { state.lives[id] = life }
            return input(&life)
        }
    }

    /// Updates the metrics of waiting and executing runs.
    func countRuns() {
        guard state.withLock({ $0.counts.changed() }) else { return }
        repeat {
            let (queued, running) = state.withLock {
                ($0.admission.queuedCount, $0.admission.running.count)
            }
            metrics.runsCounted(queued: queued, running: running)
        } while state.withLock({ $0.counts.told() })
    }
}

extension Runner {
    /// The run while its job is running.
    func live(_ id: Int64) -> LiveRun? { state.withLock { $0.runs[id] } }

    /// The queue with its limits, at this moment.
    var admission: AdmissionStateMachine<Int64, Name> { state.withLock { $0.admission } }

    /// The runs with a running job.
    var liveRuns: [LiveRun] { state.withLock { Array($0.runs.values) } }
}

/// The reason for a run's end, for the log.
struct RunEndReason: Error, CustomStringConvertible {
    let description: String
}

extension RunRecord {
    /// The run in the form of a waiting entry.
    var entry: AdmissionStateMachine<Int64, Name>.Entry {
        .init(id: id, kind: Name(kind), priority: priority, runAt: runAt)
    }
}
