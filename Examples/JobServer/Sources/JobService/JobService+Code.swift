import Foundation
import JobStore

extension JobService {
    /// Queues a run, as a client does by `POST /jobs`; waits until the server serves.
    ///
    /// - Parameters:
    ///   - kind: The kind's name.
    ///   - parameters: The parameters, encoded as JSON.
    ///   - key: The submission's own name: the same key and parameters make one run, until that has
    ///     failed or was cancelled.
    ///   - priority: How urgent it is, higher numbers first; the kind's own unless given.
    ///   - delay: How long it waits before it may start.
    /// - Returns: The run as it is in the database; the one of before that has the key.
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
    /// - Returns: The run as it stands, which may be running until its job has stopped.
    /// - Throws: ``JobServiceError``.
    @discardableResult
    public func cancel(_ id: Int64) async throws -> RunRecord {
        let runner = try await opening.runner()
        return try await told { try await runner.cancel(id) }
    }

    /// Runs from the newest to the oldest.
    ///
    /// - Parameter filter: Which runs.
    /// - Returns: The runs as they stand.
    /// - Throws: ``JobServiceError``.
    public func runs(where filter: RunFilter = RunFilter()) async throws -> [RunRecord] {
        let runner = try await opening.runner()
        return try await told { runner.board.newest(try await runner.store.list(filter).runs) }
    }

    /// What becomes of runs from now on, as listeners of `GET /events` hear it.
    ///
    /// Each change of a run comes, at most 20 times a second, and each end. It ends when the server does.
    /// A reader that is slow gets the newest state of each run, and not the ones between.
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

    /// Calls a closure at each end of a run, when that is in the database.
    ///
    /// - Parameter body: Called in a task of the server's, for one run after another; the next end is
    ///   told when it has returned. A crash between the end and the call is not made good.
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
