import Foundation
import JobStore

extension JobService {
    /// Queues a run like `POST /jobs`, once the server is serving.
    ///
    /// - Parameters:
    ///   - kind: The kind's name.
    ///   - parameters: The parameters, encoded as JSON.
    ///   - key: A name for the submission. Submissions with the same key and parameters result in
    ///     one run, until that run has failed or was cancelled.
    ///   - priority: The priority. Higher numbers start first. By default, it is that of the kind.
    ///   - delay: The delay before the run may start.
    /// - Returns: The run in the database, or the earlier run that has the key.
    /// - Throws: ``InvalidParameter``, or ``JobServiceError``.
    @discardableResult
    public func submit(
        kind: String,
        parameters: some Encodable & Sendable,
        key: String? = nil,
        priority: Int? = nil,
        after delay: Duration? = nil
    ) async throws -> RunRecord {
        let runner = try await opening.runner()
        let json = try ErrorText.json(parameters)
        let runAt = delay.map { RunClock.now + Int64(($0 / .milliseconds(1)).rounded()) }
        let submission = Submission(
            kind: kind,
            parameters: try JSONParser.value(of: Array(json.utf8)),
            key: key,
            priority: priority,
            runAt: runAt
        )
        return try await told { try await Submissions(runner: runner).submit(submission).record }
    }

    /// Asks a run to stop.
    ///
    /// - Parameter id: The run's number.
    /// - Returns: The current run. It may be running until its job has stopped.
    /// - Throws: ``JobServiceError``.
    @discardableResult
    public func cancel(_ id: Int64) async throws -> RunRecord {
        let runner = try await opening.runner()
        return try await told { try await runner.cancel(id) }
    }

    /// Pauses the starts of a kind's runs, or of all runs.
    ///
    /// Executing runs continue. The pause also lasts over restarts, until ``resume(kind:)``.
    ///
    /// - Parameter kind: The kind's name, or nil for all runs.
    /// - Throws: ``InvalidParameter`` if the kind is unknown, or ``JobServiceError``.
    public func pause(kind: String? = nil) async throws {
        let runner = try await opening.runner()
        try await told { try await runner.pause(kind.map { Name($0) }, true) }
    }

    /// Resumes the starts of a kind's runs, or of all runs.
    ///
    /// A kind that was paused by itself stays paused when all runs are resumed.
    ///
    /// - Parameter kind: The kind's name, or nil for all runs.
    /// - Throws: ``InvalidParameter`` if the kind is unknown, or ``JobServiceError``.
    public func resume(kind: String? = nil) async throws {
        let runner = try await opening.runner()
        try await told { try await runner.pause(kind.map { Name($0) }, false) }
    }

    /// Returns runs, newest first.
    ///
    /// - Parameter filter: The filter for runs.
    /// - Returns: The current state of the runs.
    /// - Throws: ``JobServiceError``.
    public func runs(where filter: RunFilter = RunFilter()) async throws -> [RunRecord] {
        let runner = try await opening.runner()
        return try await told { runner.board.newest(try await runner.store.list(filter).runs) }
    }

    /// All future changes of runs, like those of `GET /events`.
    ///
    /// The sequence has each change of a run, at most 20 times a second, and each end. It finishes
    /// when the server ends. A slow reader receives the newest state of each run and skips earlier
    /// ones.
    public var events: AsyncStream<RunRecord> {
        AsyncStream { continuation in
            let task = Task { [opening] in
                defer { continuation.finish() }
                guard let runner = try? await opening.runner(),
                    let subscription = runner.hub.subscribe(EventHub.Connection())
                else { return }
                defer { subscription.end() }
                for await _ in subscription.wakes {
                    let batch = runner.hub.take(subscription)
                    let known = runner.board.records(batch.runIDs)
                    let missing = batch.runIDs.filter { known[$0] == nil }
                    let stored = missing.isEmpty ? [] : try? await runner.store.runs(missing)
                    for record in (Array(known.values) + (stored ?? []))
                        .sorted(by: { $0.id < $1.id })
                    {
                        continuation.yield(record)
                    }
                    if batch.isLast { return }
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Calls a closure at each end of a run, once it is in the database.
    ///
    /// - Parameter body: Called in a Swift task of the server, for one run after another. The next
    ///   call begins when the closure has returned. If the process crashes between the end and the
    ///   call, the call is lost.
    public func onEnd(_ body: @escaping @Sendable (RunRecord) async -> Void) {
        ends.add(body)
    }

    private func told<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw JobServiceError(error) ?? error
        }
    }
}
