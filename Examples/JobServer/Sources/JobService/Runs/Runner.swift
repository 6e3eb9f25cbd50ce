import Foundation
import JobKit
import JobObservability
import JobStore
import Logging
import Synchronization

/// Queues runs, starts them, cancels them and writes their ends down; the only lock over its machines.
///
/// > Thread: Any.
final class Runner: Sendable {
    struct State: Sendable {
        var admission: AdmissionStateMachine<Int64>
        var shutdown = ShutdownStateMachine()
        var counts = NewestToldStateMachine()
        var lives: [Int64: RunLifeStateMachine] = [:]
        var runs: [Int64: LiveRun] = [:]
    }

    let kinds: JobKinds
    let environment: JobEnvironment
    let store: JobStore
    let board = RunBoard()
    let hub: EventHub
    let metrics: RunMetrics
    let logger: Logger
    let timelines = RecentTimelines()

    let state: Mutex<State>
    let grace: Duration
    let stopLimit = Duration.seconds(2)
    let finished = AsyncStream<Void>.makeStream()
    // Jobs wait here for nothing: admission counts them. Only their tasks share the limited queue, so that
    // more jobs than tasks can run at a time.
    private let starting = TaskQueue(name: "Runs")

    init(
        kinds: JobKinds,
        environment: JobEnvironment,
        store: JobStore,
        hub: EventHub,
        width: Int,
        queueLimit: Int,
        grace: Duration,
        metrics: RunMetrics,
        logger: Logger
    ) {
        self.kinds = kinds
        self.environment = environment
        self.store = store
        self.hub = hub
        self.grace = grace
        self.metrics = metrics
        self.logger = logger
        state = Mutex(
            State(admission: AdmissionStateMachine(width: width, queueLimit: queueLimit))
        )
        countRuns()
    }

    /// Whether a shutdown has begun.
    var isStopping: Bool { state.withLock { $0.shutdown.isStopping } }

    /// Lets runs start: those that waited when the server before ended, and new ones.
    func open(with ids: [Int64]) {
        start { $0.admission.opened(with: ids) }
    }

    // MARK: - Running

    /// Starts the runs that the machine names.
    func start(_ input: (inout State) -> [Int64]) {
        let ids = state.withLock { state in
            let ids = input(&state)
            for id in ids {
                state.lives[id] = RunLifeStateMachine()
                state.shutdown.runStarted()
            }
            return ids
        }
        countRuns()
        for id in ids { Task { await run(id) } }
    }

    private func run(_ id: Int64) async {
        do {
            guard let detail = try await store.start(id, at: RunClock.now) else {
                return leave(id)
            }
            board.put(detail.record)
            hub.runChanged(id)
            await run(detail)
        } catch {
            logger.error(
                "A run cannot be started",
                metadata: ["job.id": "\(id)", "error.message": "\(error)"]
            )
            leave(id)
        }
    }

    private func run(_ detail: RunDetail) async {
        let id = detail.record.id
        let made = await offPool { [self] in Result { try makeRun(detail) } }
        switch made {
        case .failure(let error):
            guard case .recordEnd(let end)? = decide(id, { $0.jobNotMade() }) else { return }
            let sentence = (error as? InvalidParameter)?.sentence ?? "\(error)"
            metrics.runEnded(kind: detail.record.kind, status: end.rawValue, duration: nil)
            await write(id, RunEnd(state: end.state, finishedAt: RunClock.now, error: sentence))
        case .success(let run):
            let action = state.withLock { state in
                state.runs[id] = run
                return state.lives[id]?.jobMade()
            }
            switch action {
            case .startJob?:
                try? await run.job.run(on: starting)
                // Without an outcome it was cancelled before its start, and never runs.
                let outcome = run.job.outcome
                let ending = RunLifeStateMachine.Outcome(outcome ?? .cancelled)
                guard case .recordEnd(let end)? = decide(id, { $0.jobEnded(ending) }) else {
                    return
                }
                // The job's own end counts if it was told; of one that never runs it comes later.
                run.observer.runEnded(end.rawValue)
                guard outcome != nil else {
                    return await write(id, RunEnd(state: end.state, finishedAt: RunClock.now))
                }
                await write(id, await offPool { [self] in self.end(of: run, as: end) })
            case .recordEnd(let end)?:
                run.observer.runEnded(end.rawValue)
                await write(id, RunEnd(state: end.state, finishedAt: RunClock.now))
            default:
                break
            }
        }
    }

    private func makeRun(_ detail: RunDetail) throws -> LiveRun {
        let record = detail.record
        guard let kind = kinds[record.kind] else {
            throw InvalidParameter("kind", "There is no kind of job \(record.kind) any more.")
        }
        let value = try JSONParser.value(of: Array(detail.parameters.utf8))
        let prepared = try kind.check(value, in: environment).makeJob()
        let waited = max(0, (record.startedAt ?? 0) - record.submittedAt)
        let observer = RunObserver(
            RunIdentity(kind: record.kind, id: record.id, attempt: record.attempt),
            queuedFor: .milliseconds(waited),
            logger: logger,
            metrics: metrics
        ) { [weak self] outcome in
            // The job's own end is told before the run's: what a shutdown cancelled is not cancelled.
            guard case .cancelled = outcome, let self else { return outcome.description }
            return state.withLock { $0.lives[record.id]?.stopped.rawValue ?? "cancelled" }
        }
        return LiveRun(record, prepared, observer: observer)
    }

    private func end(of run: LiveRun, as end: RunLifeStateMachine.End) -> RunEnd {
        let record = run.sample()
        let now = RunClock.now
        var summary = RunEnd(
            state: end.state,
            finishedAt: now,
            progress: end == .succeeded ? 1 : record.progress,
            tasksTracked: record.tasksTracked,
            tasksFinished: record.tasksFinished,
            tasksFailed: record.tasksFailed
        )
        if let error = run.job.error { summary.error = LogText.oneLine(ErrorText.sentence(error)) }
        do {
            if let result = try run.prepared.result() {
                summary.result = try ErrorText.json(result)
            }
        } catch {
            logger.error("A result cannot be kept", metadata: ["error.message": "\(error)"])
        }
        let timeline = run.recorder.timeline
        let lasted = now - (record.startedAt ?? now)
        if end == .failed || lasted > 1_000 {
            summary.timeline = (try? JSONEncoder().encode(timeline)).map { [UInt8]($0) }
        } else {
            timelines.add(timeline, of: record.id)
        }
        return summary
    }

    // MARK: - Ending

    /// Asks a run to stop.
    func cancel(_ id: Int64) async throws {
        if state.withLock({ $0.admission.runWithdrawn(id) }) {
            guard
                let record = try await store.end(
                    id,
                    RunEnd(state: .cancelled, finishedAt: RunClock.now)
                )
            else { throw RunProblem.ended }
            metrics.runEnded(kind: record.kind, status: "cancelled", duration: nil)
            board.put(record)
            countRuns()
            hub.runEnded(id)
            return
        }
        let (isLive, action, run) = state.withLock { state in
            let isLive = state.lives[id]?.isLive == true
            return (isLive, state.lives[id]?.cancelAsked(by: .person), state.runs[id])
        }
        if isLive {
            if action == .cancelJob, let run { await offPool { run.job.cancel() } }
            return
        }
        guard let detail = try await store.detail(id) else { throw RunProblem.unknownRun }
        // Written down, and not yet handed to the queue: it never starts.
        guard detail.record.state == .queued,
            let record = try await store.end(
                id,
                RunEnd(state: .cancelled, finishedAt: RunClock.now)
            )
        else { throw RunProblem.ended }
        board.put(record)
        hub.runEnded(id)
    }

    /// Writes a run's end down, and tells it.
    func write(_ id: Int64, _ end: RunEnd) async {
        do {
            if let record = try await store.end(id, end) {
                board.put(record)
                hub.runEnded(id)
            }
        } catch {
            logger.error(
                "A run's end cannot be written",
                metadata: ["job.id": "\(id)", "error.message": "\(error)"]
            )
        }
        leave(id)
    }

    /// Forgets a run that is written down, and starts the next.
    private func leave(_ id: Int64) {
        let (run, actions) = state.withLock { state in
            state.lives[id] = nil
            return (state.runs.removeValue(forKey: id), state.shutdown.runEnded())
        }
        // Released with no lock held: its job may be released with it.
        withExtendedLifetime(run) {}
        start { $0.admission.runEnded(id) }
        perform(actions)
    }

    /// Asks a run's machine.
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

    /// Tells the metrics how many runs wait and run.
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
    /// The run, while its job runs.
    func live(_ id: Int64) -> LiveRun? { state.withLock { $0.runs[id] } }

    /// The runs whose jobs run.
    var liveRuns: [LiveRun] { state.withLock { Array($0.runs.values) } }
}
