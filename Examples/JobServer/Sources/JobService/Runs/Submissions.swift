import Foundation
import JobStore
import Synchronization

/// Checks what clients submit, and queues it.
struct Submissions: Sendable {
    let runner: Runner

    /// Queues a run, unless its key is known.
    ///
    /// - Returns: The run as it was written down, or the one that has the key.
    func submit(
        kind: String,
        parameters: JSONValue,
        key: String?
    ) async throws -> (record: RunRecord, isNew: Bool) {
        guard !runner.isStopping else { throw RunProblem.stopping }
        if let key, let known = try await runner.store.run(key: key) {
            return (runner.board.newest([known])[0], false)
        }
        let checked = try await check(parameters, kind: kind)
        return try await queue(
            NewRun(
                kind: kind,
                title: checked.title,
                parameters: checked.json,
                key: key,
                submittedAt: RunClock.now
            )
        )
    }

    /// Queues a new run with the parameters of one that has ended.
    func runAgain(_ id: Int64) async throws -> RunRecord {
        guard !runner.isStopping else { throw RunProblem.stopping }
        guard let detail = try await runner.store.detail(id) else { throw RunProblem.unknownRun }
        guard detail.record.state.isEnd else { throw RunProblem.notEnded }
        let value = try JSONParser.value(of: Array(detail.parameters.utf8))
        let checked = try await check(value, kind: detail.record.kind)
        return try await queue(
            NewRun(
                kind: detail.record.kind,
                title: checked.title,
                parameters: checked.json,
                previousID: id,
                attempt: detail.record.attempt + 1,
                submittedAt: RunClock.now
            )
        )
        .record
    }

    private func check(
        _ parameters: JSONValue,
        kind name: String
    ) async throws -> RegisteredKind.Checked {
        guard let kind = runner.kinds[name] else {
            throw InvalidParameter("kind", "There is no kind of job of this name.")
        }
        let environment = runner.environment
        return try await offPool { Result { try kind.check(parameters, in: environment) } }.get()
    }

    private func queue(_ new: NewRun) async throws -> (record: RunRecord, isNew: Bool) {
        switch runner.state.withLock({ $0.admission.placeAsked() }) {
        case .accepted: break
        case .full: throw RunProblem.full
        case .stopping: throw RunProblem.stopping
        }
        do {
            let (record, isNew) = try await runner.store.add(new)
            guard isNew else {
                giveBackPlace()
                return (runner.board.newest([record])[0], false)
            }
            runner.board.put(record)
            runner.hub.runChanged(record.id)
            runner.start { $0.admission.runQueued(record.id) }
            return (record, true)
        } catch {
            giveBackPlace()
            throw error
        }
    }

    private func giveBackPlace() {
        runner.state.withLock { $0.admission.placeGivenBack() }
        runner.countRuns()
    }
}
