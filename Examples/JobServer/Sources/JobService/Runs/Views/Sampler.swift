import JobStore
import Logging
import ServiceLifecycle
import Synchronization

/// Does the periodic work of the server.
///
/// It reads the progress of runs, ten times a second while there are listeners, and occasionally
/// for the database. It also starts planned runs and checks the database's file.
struct Sampler: Service {
    let runner: Runner

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await tellListeners() }
                group.addTask { try await noteProgress() }
                group.addTask { try await startPlannedRuns() }
                group.addTask { try await lookAtTheFile() }
                try await group.waitForAll()
            }
        }
    }

    private func tellListeners() async throws {
        for await _ in runner.hub.arrivals {
            while runner.hub.hasListeners {
                for run in runner.liveRuns {
                    let record = run.sample()
                    if runner.board.put(record) { runner.hub.runChanged(record.id) }
                }
                runner.hub.tick()
                // Starts and submissions are reported twice as often as progress is read.
                try await Task.sleep(for: .milliseconds(50))
                runner.hub.tick()
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Starts planned runs on time.
    ///
    /// It polls, because the system clock may be set at any moment.
    private func startPlannedRuns() async throws {
        while true {
            try await Task.sleep(for: .milliseconds(100))
            let now = runner.now()
            guard let time = runner.state.withLock({ $0.admission.nextTime }), time <= now else {
                continue
            }
            runner.start { $0.admission.timeCame(now) }
        }
    }

    /// Detects a missing database file within a second, even without writes.
    private func lookAtTheFile() async throws {
        while true {
            try await Task.sleep(for: .seconds(1))
            runner.store.look()
        }
    }

    private func noteProgress() async throws {
        var noted: [Int64: RunRecord] = [:]
        while true {
            try await Task.sleep(for: .seconds(2))
            let records = runner.liveRuns.map { $0.sample() }
            let changed = records.filter { $0 != noted[$0.id] }
            noted = Dictionary(records.map { ($0.id, $0) }) { $1 }
            if !changed.isEmpty { try? await runner.store.noteProgress(of: changed) }
        }
    }
}
