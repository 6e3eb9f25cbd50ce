import Foundation
import GRDB

/// The runs in an SQLite file, which one server at a time may use.
///
/// When a method returns, its changes are in the file and survive the failures of its
/// ``Durability``. While the file cannot be written, ``start(_:at:)`` and ``end(_:_:next:)`` wait
/// until it can be, and then write in order. All other writes throw ``StoreFailed``.
///
/// > Thread: Any. Writes happen in order on the store's thread, and several waiting writes share a
/// > transaction. Only the initializer blocks the caller's thread.
public final class JobStore: Sendable {
    private let file: DatabaseFile
    let database: DatabasePool
    let writer: StoreWriter

    /// Opens or creates a database.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - durability: The failures that a confirmed write survives.
    ///   - patience: How many seconds a write waits for another process's lock before it fails.
    ///   - told: Called on the store's thread when writes begin to fail, and when they succeed
    ///     again.
    /// - Throws: ``JobStoreError`` if the file cannot be written, is not a database of this server,
    ///   or is used by another one.
    public convenience init(
        path: String,
        durability: Durability = .powerLoss,
        patience: Double = 5,
        told: @escaping @Sendable (StoreNews) -> Void = { _ in }
    ) throws(JobStoreError) {
        try self.init(path: path, durability: durability, patience: patience, fault: {}, told: told)
    }

    /// Opens a database whose disk fails when `fault` throws.
    package init(
        path: String,
        durability: Durability,
        patience: Double,
        fault: @escaping @Sendable () throws -> Void,
        told: @escaping @Sendable (StoreNews) -> Void
    ) throws(JobStoreError) {
        file = try DatabaseFile(path: path)
        do {
            var configuration = Configuration()
            configuration.label = "job-store"
            configuration.maximumReaderCount = 4
            configuration.busyMode = .timeout(patience)
            database = try DatabasePool(path: path, configuration: configuration)
            let migrator = Schema.migrator
            let isOurs = try database.read { try Schema.isOurs($0) }
            guard isOurs else {
                throw JobStoreError("The file \(path) is the database of another program.")
            }
            guard try !database.read({ try migrator.hasBeenSuperseded($0) }) else {
                throw JobStoreError("The file \(path) was written by a newer job-server.")
            }
            try migrator.migrate(database)
            try database.writeWithoutTransaction { database in
                let level = durability == .powerLoss ? "FULL" : "NORMAL"
                try database.execute(sql: "PRAGMA synchronous = \(level)")
                // This write creates the file of the write-ahead log.
                try database.execute(sql: "UPDATE probe SET count = count + 1")
            }
        } catch let error as JobStoreError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw JobStoreError("The file \(path) is no database.")
        } catch {
            let reason = (error as? DatabaseError)?.message ?? error.localizedDescription
            throw JobStoreError("The database \(path) cannot be opened: \(reason).")
        }
        file.noteLog()
        writer = StoreWriter(database, file: file, fault: fault, told: told)
    }

    // MARK: - Health

    /// The reason why writes fail, or nil while they succeed.
    public var failure: String? { writer.reason }

    /// The number of starts and ends that wait until the file can be written again.
    public var unwrittenCount: Int { writer.keptCount }

    /// Tries a write if the last one is older than a second.
    ///
    /// - Throws: ``StoreFailed`` if the file cannot be written now.
    public func probe() async throws { try await writer.probe() }

    /// Checks whether the file is still the one that was opened, and reports a loss.
    public func look() { writer.look() }

    // MARK: - Writing

    /// Adds a run in the state `queued` unless its key is known.
    ///
    /// A key is free again when its run has failed or was cancelled.
    ///
    /// - Parameter new: The submission.
    /// - Returns: The new run, or the run that has the key.
    /// - Throws: An error of the database.
    public func add(_ new: NewRun) async throws -> Addition {
        try await writer.write { database in
            guard let key = new.key,
                let known = try Self.holder(of: key, like: new.kind, new.requested, in: database)
            else { return .added(try RunRow.insert(new, into: database)) }
            guard case .known(let record) = known,
                record.state == .failed || record.state == .cancelled
            else { return known }
            return .added(try Self.succeed(record.id, with: new, in: database))
        }
    }

    /// Saves the start of a queued run.
    ///
    /// Waits while the store fails.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: The run with its parameters, or nil if it is no longer queued.
    /// - Throws: ``StoreFailed`` if the file is gone.
    public func start(_ id: Int64, at time: Int64) async throws -> RunDetail? {
        try await writer.write(isKept: true) { database in
            try Row.fetchOne(
                database,
                sql: """
                    UPDATE run SET state = 'running', startedAt = max(?, submittedAt)
                    WHERE id = ? AND state = 'queued'
                    RETURNING \(RunRow.columns), parameters, key, requested, journalID
                    """,
                arguments: [time, id]
            )
            .map { row in
                RunDetail(
                    record: RunRow.record(row),
                    parameters: row["parameters"],
                    key: row["key"],
                    requested: row["requested"],
                    journalID: row["journalID"]
                )
            }
        }
    }

    /// Saves the progress of running runs, in case they are interrupted.
    ///
    /// - Parameter records: The current runs. Those that are not running are skipped.
    /// - Throws: An error of the database.
    public func noteProgress(of records: [RunRecord]) async throws {
        try await writer.write { database in
            for record in records {
                try database.execute(
                    sql: """
                        UPDATE run SET progress = ?, tasksTracked = ?, tasksFinished = ?, tasksFailed = ?
                        WHERE id = ? AND state = 'running'
                        """,
                    arguments: [
                        record.progress, record.tasksTracked, record.tasksFinished,
                        record.tasksFailed, record.id,
                    ]
                )
            }
        }
    }

    /// Saves when a run was first asked to stop, so that no later session runs it.
    ///
    /// Waits while the store fails.
    public func noteCancel(of id: Int64, at time: Int64) async throws {
        try await writer.write(isKept: true) { database in
            try database.execute(
                sql: """
                    UPDATE run SET cancelRequestedAt = ?
                    WHERE id = ? AND state IN ('queued', 'running') AND cancelRequestedAt IS NULL
                    """,
                arguments: [time, id]
            )
        }
    }

    /// Saves how many steps a running run's journal contained.
    ///
    /// Waits while the store fails.
    public func noteKnownSteps(_ count: Int, of id: Int64) async throws {
        try await writer.write(isKept: true) { database in
            try database.execute(
                sql: "UPDATE run SET knownSteps = ? WHERE id = ?",
                arguments: [count, id]
            )
        }
    }

    /// Changes the priority of a queued run.
    ///
    /// - Returns: The changed run, or nil if it is not queued.
    /// - Throws: An error of the database.
    public func prioritize(_ id: Int64, _ priority: Int) async throws -> RunRecord? {
        try await writer.write { database in
            try Row.fetchOne(
                database,
                sql: """
                    UPDATE run SET priority = ? WHERE id = ? AND state = 'queued'
                    RETURNING \(RunRow.columns)
                    """,
                arguments: [priority, id]
            )
            .map(RunRow.record)
        }
    }

    /// Saves a run's end and queues the run that follows it.
    ///
    /// Only the first end counts. Waits while the store fails.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - end: The end.
    ///   - next: The run to queue as its successor, in the same transaction.
    /// - Returns: The changed run and its successor, or nil if the run is unknown or had already
    ///   ended.
    /// - Throws: ``StoreFailed`` if the file is gone.
    public func end(
        _ id: Int64,
        _ end: RunEnd,
        next: NewRun? = nil
    ) async throws -> (record: RunRecord, next: RunRecord?)? {
        try await writer.write(isKept: true) { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    UPDATE run SET state = ?, finishedAt = max(?, coalesce(startedAt, submittedAt)),
                        progress = max(progress, ?), tasksTracked = ?, tasksFinished = ?,
                        tasksFailed = ?, error = ?, result = ?, failures = ?,
                        cancelRequestedAt = coalesce(cancelRequestedAt, ?)
                    WHERE id = ? AND state IN ('queued', 'running')
                    RETURNING \(RunRow.columns)
                    """,
                arguments: [
                    end.state.rawValue, end.finishedAt, end.progress, end.tasksTracked,
                    end.tasksFinished, end.tasksFailed, end.error.map(RunRow.storable), end.result,
                    RunRow.text(end.failures), end.cancelRequestedAt, id,
                ]
            )
            guard let row else { return nil }
            if let timeline = end.timeline {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO timeline (runID, data) VALUES (?, ?)",
                    arguments: [id, Data(timeline)]
                )
            }
            let added = try next.map { try Self.succeed(id, with: $0, in: database) }
            return (RunRow.record(row), added)
        }
    }
}
