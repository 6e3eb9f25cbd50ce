import Dispatch
import JobKit
import JobObservability
import JobStore
import Synchronization

extension Runner {
    /// Begins the shutdown.
    ///
    /// ``waitUntilFinished()`` returns when it has ended.
    func stop() {
        let actions = state.withLock { state in
            state.admission.stopBegan()
            return state.shutdown.stopAsked()
        }
        perform(actions)
    }

    /// Returns when a shutdown was requested and no run is executing.
    func waitUntilFinished() async {
        for await _ in finished.stream { return }
    }

    /// Carries out the actions of the state machine.
    func perform(_ actions: [ShutdownStateMachine.Action]) {
        for action in actions {
            switch action {
            case .sayGoodbye: hub.sayBye()
            case .waitForGrace: wait(limits.grace) { $0.graceEnded() }
            case .cancelRuns: stopRuns()
            case .waitForStop: wait(limits.stop) { $0.stopEnded() }
            case .giveUpRuns: giveUpRuns()
            case .waitForWrites: wait(limits.stop) { $0.writesEnded() }
            case .finish: finished.continuation.yield()
            }
        }
    }

    private func wait(
        _ duration: Duration,
        _ input: @escaping @Sendable (inout ShutdownStateMachine) -> [ShutdownStateMachine.Action]
    ) {
        // Jobs may block the threads of all Swift tasks until they are cancelled.
        let end = DispatchTime.now() + duration / .seconds(1)
        DispatchQueue.withOwnThread()
            .asyncAfter(deadline: end) { [self] in
                perform(state.withLock { input(&$0.shutdown) })
            }
    }

    private func stopRuns() {
        let runs = state.withLock { state in
            state.lives.keys.compactMap { id -> LiveRun? in
                guard state.lives[id]?.cancelAsked(by: .shutdown) == .cancelJob else { return nil }
                return state.runs[id]
            }
        }
        // Each run uses a separate thread, so that a slow cancellation does not delay the others.
        for run in runs { DispatchQueue.withOwnThread().async { run.cancel(at: run.now) } }
    }

    private func giveUpRuns() {
        for id in state.withLock({ Array($0.lives.keys) }) {
            guard case .recordEnd(let end)? = decide(id, { $0.givenUp() }) else { continue }
            let run = state.withLock { $0.runs[id] }
            guard let record = run?.sample() ?? board.records([id])[id] else { continue }
            let summary = RunEnd(
                state: end.state,
                finishedAt: run?.now ?? now(),
                progress: record.progress,
                tasksTracked: record.tasksTracked,
                tasksFinished: record.tasksFinished,
                tasksFailed: record.tasksFailed,
                error: "The server stopped, and the job did not.",
                failures: record.failures
            )
            Task { await write(record, summary, of: run) }
        }
    }
}
