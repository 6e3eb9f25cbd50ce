import Foundation
import JobStore
import Synchronization

/// A submission by a client or by code.
struct Submission: Sendable {
    var kind: String
    var parameters: JSONValue
    var key: String?
    var priority: Int?
    /// The earliest start, in milliseconds since 1970, or nil for no delay.
    var runAt: Int64?
}

/// Checks submissions and queues them.
struct Submissions: Sendable {
    /// The range of priorities.
    static let priorities = -1_000_000...1_000_000

    let runner: Runner

    /// Queues a run unless its key is known.
    ///
    /// - Returns: The run as it was saved, or the run that has the key.
    func submit(_ submission: Submission) async throws -> (record: RunRecord, isNew: Bool) {
        try mustServe()
        if let key = submission.key, key.isEmpty || key.utf8.contains(0) {
            throw InvalidParameter("key", "key must be a text without NULs, and not empty.")
        }
        let requested = submission.parameters.withoutNulls.json
        if let key = submission.key {
            let known = try await runner.store.holder(of: key, like: submission.kind, requested)
            if let known, let record = try held(known) { return (record, false) }
        }
        let checked = try await check(submission.parameters, kind: submission.kind)
        let new = NewRun(
            kind: submission.kind,
            title: checked.title,
            parameters: checked.json,
            key: submission.key,
            submittedAt: runner.now(),
            requested: submission.key == nil ? nil : requested,
            priority: submission.priority ?? runner.kinds[submission.kind]?.priority ?? 0,
            runAt: submission.runAt
        )
        let isPlanned = (new.runAt ?? 0) > new.submittedAt
        return try await queue(Name(new.kind), isPlanned: isPlanned) {
            let addition = try await runner.store.add(new)
            if case .added(let record) = addition { return (record, true) }
            guard let record = try held(addition) else { throw RunProblem.keyInUse(0) }
            return (record, false)
        }
    }

    /// Queues a new run with the parameters of one that has ended.
    ///
    /// A failed or interrupted run continues from its last step if its kind keeps a journal.
    func runAgain(_ id: Int64) async throws -> RunRecord {
        try mustServe()
        guard let detail = try await runner.store.detail(id) else { throw RunProblem.unknownRun }
        guard detail.record.state.isEnd else { throw RunProblem.notEnded }
        let value = try JSONParser.value(of: Array(detail.parameters.utf8))
        let checked = try await check(value, kind: detail.record.kind)
        let new = NewRun(
            kind: detail.record.kind,
            title: checked.title,
            parameters: checked.json,
            previousID: id,
            attempt: detail.record.attempt + 1,
            submittedAt: runner.now(),
            priority: detail.record.priority
        )
        return try await queue(Name(new.kind)) {
            switch try await runner.store.repeatRun(id, as: new) {
            case .added(let record): return (record, true)
            case .notEnded: throw RunProblem.notEnded
            case .followed(let follower): throw RunProblem.followed(by: follower)
            case .unknown: throw RunProblem.unknownRun
            }
        }
        .record
    }

    /// Changes the priority of a queued run.
    func prioritize(_ id: Int64, _ priority: Int) async throws -> RunRecord {
        guard let record = try await runner.store.prioritize(id, priority) else {
            guard try await runner.store.detail(id) != nil else { throw RunProblem.unknownRun }
            throw RunProblem.notQueued
        }
        _ = runner.state.withLock { $0.admission.priorityChanged(of: id, to: priority) }
        runner.board.replace(record)
        runner.hub.runChanged(id)
        return record
    }

    /// Deletes a run that has ended.
    func delete(_ id: Int64) async throws {
        switch try await runner.store.delete(id) {
        case .unknown: throw RunProblem.unknownRun
        case .notEnded: throw RunProblem.notEnded
        case .deleted(let journalID): if let journalID { runner.journals.remove(journalID) }
        }
        runner.board.remove(id)
        runner.timelines.remove(id)
        runner.hub.runDeleted(id)
    }

    private func mustServe() throws {
        guard !runner.isStopping else { throw RunProblem.stopping }
        // While the store fails, errors are reported at once instead of waiting for a lock or the
        // disk.
        if let reason = runner.store.failure { throw StoreFailed(reason: reason) }
    }

    /// The run that has the key, or nil if its end has released the key.
    private func held(_ addition: Addition) throws -> RunRecord? {
        switch addition {
        case .keyInUse(let record): throw RunProblem.keyInUse(record.id)
        case .added(let record): return record
        case .known(let record):
            let newest = runner.board.newest([record])[0]
            return newest.state == .failed || newest.state == .cancelled ? nil : newest
        }
    }

    /// Checks parameters for a kind of job.
    func check(
        _ parameters: JSONValue,
        kind name: String
    ) async throws -> RegisteredKind.Checked {
        guard let kind = runner.kinds[name] else {
            throw InvalidParameter("kind", "There is no kind of job of this name.")
        }
        let environment = runner.environment
        return try await onOwnThread { Result { try kind.check(parameters, in: environment) } }
            .get()
    }

    /// Saves a run if the queue has room for it, and lets it start.
    ///
    /// - Parameters:
    ///   - kind: The kind of the run.
    ///   - isPlanned: Whether it may not start before a future time.
    ///   - add: Saves the run, and returns whether it is new.
    /// - Returns: The result of `add`.
    /// - Throws: ``RunProblem``, or the error of `add`.
    private func queue(
        _ kind: Name,
        isPlanned: Bool = false,
        _ add: () async throws -> (record: RunRecord, isNew: Bool)
    ) async throws -> (record: RunRecord, isNew: Bool) {
        let answer = runner.state.withLock {
            $0.admission.placeAsked(isPlanned: isPlanned, kind: kind)
        }
        switch answer {
        case .accepted: break
        case .full: throw RunProblem.full
        case .stopping: throw RunProblem.stopping
        }
        do {
            let (record, isNew) = try await add()
            guard isNew else {
                giveBackPlace()
                return (record, false)
            }
            runner.board.put(record)
            runner.hub.runChanged(record.id)
            runner.start { $0.admission.runQueued(record.entry, at: runner.now()) }
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
