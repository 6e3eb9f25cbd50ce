import Dispatch
import JobKit
import JobObservability
import JobStore
import Synchronization

extension Runner {
    /// Begins the shutdown; ``waitUntilFinished()`` returns when it is over.
    func stop() {
        let actions = state.withLock { state in
            state.admission.stopBegan()
            return state.shutdown.stopAsked()
        }
        perform(actions)
    }

    /// Returns when a shutdown was asked for and no run runs any more.
    func waitUntilFinished() async {
        for await _ in finished.stream { return }
    }

    /// Does what the machine decides.
    func perform(_ actions: [ShutdownStateMachine.Action]) {
        for action in actions {
            switch action {
            case .sayGoodbye: hub.sayBye()
            case .waitForGrace: wait(grace) { $0.graceEnded() }
            case .cancelRuns: stopRuns()
            case .waitForStop: wait(stopLimit) { $0.stopEnded() }
            case .giveUpRuns: giveUpRuns()
            case .finish: finished.continuation.yield()
            }
        }
    }

    private func wait(
        _ duration: Duration,
        _ input: @escaping @Sendable (inout ShutdownStateMachine) -> [ShutdownStateMachine.Action]
    ) {
        Task { [self] in
            try? await Task.sleep(for: duration)
            perform(state.withLock { input(&$0.shutdown) })
        }
    }

    private func stopRuns() {
        let jobs = state.withLock { state in
            state.lives.keys.compactMap { id -> JobController? in
                guard state.lives[id]?.cancelAsked(by: .shutdown) == .cancelJob else { return nil }
                return state.runs[id]?.job
            }
        }
        // Each on a thread of its own: one that takes long holds up no other.
        for job in jobs { DispatchQueue.global().async { job.cancel() } }
    }

    private func giveUpRuns() {
        for id in state.withLock({ Array($0.lives.keys) }) {
            guard case .recordEnd(let end)? = decide(id, { $0.givenUp() }) else { continue }
            let run = state.withLock { $0.runs[id] }
            run?.observer.runEnded(end.rawValue)
            let record = run?.sample()
            Task {
                await write(
                    id,
                    RunEnd(
                        state: end.state,
                        finishedAt: RunClock.now,
                        progress: record?.progress ?? 0,
                        tasksTracked: record?.tasksTracked ?? 0,
                        tasksFinished: record?.tasksFinished ?? 0,
                        tasksFailed: record?.tasksFailed ?? 0
                    )
                )
            }
        }
    }
}
