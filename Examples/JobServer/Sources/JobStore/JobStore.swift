import Foundation
import GRDB

/// The runs in an SQLite file, which one server at a time may use.
///
/// What a method wrote is in the file when it returns, and outlives a `kill -9` of the process.
///
/// > Thread: Any. Writes are made in order on a thread of the store's; several waiting ones share a
/// > transaction. Nothing blocks the caller's thread but ``init(path:)``.
public final class JobStore: Sendable {
    private let file: DatabaseFile
    private let database: DatabasePool
    private let writer: StoreWriter

    /// Opens a database, or makes it.
    ///
    /// - Parameter path: The file's path.
    /// - Throws: ``JobStoreError`` if the file cannot be written, is no database of this server, or is
    ///   used by another one.
    public init(path: String) throws(JobStoreError) {
        file = try DatabaseFile(path: path)
        do {
            var configuration = Configuration()
            configuration.label = "job-store"
            configuration.maximumReaderCount = 4
            configuration.busyMode = .timeout(5)
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
        } catch let error as JobStoreError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw JobStoreError("The file \(path) is no database.")
        } catch {
            let reason = (error as? DatabaseError)?.message ?? error.localizedDescription
            throw JobStoreError("The database \(path) cannot be opened: \(reason).")
        }
        writer = StoreWriter(database)
    }

    /// Takes over what the server before left: what ran is `interrupted`, and runs again if its kind may.
    ///
    /// - Parameters:
    ///   - now: The time, in milliseconds since 1970.
    ///   - resumable: The kinds whose runs are repeated as new ones.
    /// - Returns: What was found, and what is queued.
    /// - Throws: An error of the database's.
    public func recover(now: Int64, resumable: Set<String> = []) async throws -> Recovery {
        try await writer.write { database in
            var recovery = Recovery()
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(RunRow.columns), parameters FROM run WHERE state = 'running' ORDER BY id
                    """
            )
            for row in rows {
                let record = RunRow.record(row)
                recovery.interruptedIDs.append(record.id)
                try database.execute(
                    sql: "UPDATE run SET state = 'interrupted', finishedAt = ? WHERE id = ?",
                    arguments: [now, record.id]
                )
                guard resumable.contains(record.kind) else { continue }
                let new = NewRun(
                    kind: record.kind,
                    title: record.title,
                    parameters: row["parameters"],
                    previousID: record.id,
                    attempt: record.attempt + 1,
                    submittedAt: now
                )
                recovery.resumedIDs.append(try RunRow.insert(new, into: database).id)
            }
            recovery.queuedIDs = try Int64.fetchAll(
                database,
                sql: "SELECT id FROM run WHERE state = 'queued' ORDER BY id"
            )
            return recovery
        }
    }

    /// Adds a run in the state `queued`, unless its key is known.
    ///
    /// - Parameter new: What is submitted.
    /// - Returns: The new run; or the one that has the key, and `false`.
    /// - Throws: An error of the database's.
    public func add(_ new: NewRun) async throws -> (record: RunRecord, isNew: Bool) {
        try await writer.write { database in
            if let key = new.key, let known = try Self.record(key: key, in: database) {
                return (known, false)
            }
            return (try RunRow.insert(new, into: database), true)
        }
    }

    /// Notes that a queued run starts.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: The run with its parameters; nil if it is not queued any more.
    /// - Throws: An error of the database's.
    public func start(_ id: Int64, at time: Int64) async throws -> RunDetail? {
        try await writer.write { database in
            try Row.fetchOne(
                database,
                sql: """
                    UPDATE run SET state = 'running', startedAt = ? WHERE id = ? AND state = 'queued'
                    RETURNING \(RunRow.columns), parameters
                    """,
                arguments: [time, id]
            )
            .map { RunDetail(record: RunRow.record($0), parameters: $0["parameters"]) }
        }
    }

    /// Notes how far a running run is, for whoever finds it interrupted.
    ///
    /// - Parameter records: The runs as they stand; those that are not running are passed over.
    /// - Throws: An error of the database's.
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

    /// Notes a run's end; the first one counts.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - end: How it ended.
    /// - Returns: The run as it now stands; nil if it is unknown or had ended before.
    /// - Throws: An error of the database's.
    public func end(_ id: Int64, _ end: RunEnd) async throws -> RunRecord? {
        try await writer.write { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    UPDATE run SET state = ?, finishedAt = ?, progress = max(progress, ?),
                        tasksTracked = ?, tasksFinished = ?, tasksFailed = ?, error = ?, result = ?
                    WHERE id = ? AND state IN ('queued', 'running')
                    RETURNING \(RunRow.columns)
                    """,
                arguments: [
                    end.state.rawValue, end.finishedAt, end.progress, end.tasksTracked,
                    end.tasksFinished, end.tasksFailed, end.error, end.result, id,
                ]
            )
            guard let row else { return nil }
            if let timeline = end.timeline {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO timeline (runID, data) VALUES (?, ?)",
                    arguments: [id, Data(timeline)]
                )
            }
            return RunRow.record(row)
        }
    }

    /// Deletes the runs that ended before a time; their numbers are not used again.
    ///
    /// - Parameter time: The time, in milliseconds since 1970.
    /// - Returns: How many were deleted.
    /// - Throws: An error of the database's.
    public func deleteRuns(endedBefore time: Int64) async throws -> Int {
        try await writer.write { database in
            try database.execute(
                sql: "DELETE FROM run WHERE finishedAt < ? AND state NOT IN ('queued', 'running')",
                arguments: [time]
            )
            return database.changesCount
        }
    }

    /// One run with its parameters and its result; nil if there is none of that number.
    public func detail(_ id: Int64) async throws -> RunDetail? {
        try await database.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT \(RunRow.columns), parameters, result FROM run WHERE id = ?",
                arguments: [id]
            )
            .map { row in
                RunDetail(
                    record: RunRow.record(row),
                    parameters: row["parameters"],
                    result: row["result"]
                )
            }
        }
    }

    /// The run that has a key; nil if none has.
    public func run(key: String) async throws -> RunRecord? {
        try await database.read { try Self.record(key: key, in: $0) }
    }

    /// Runs by their numbers, in no order; unknown ones are left out.
    public func runs(_ ids: [Int64]) async throws -> [RunRecord] {
        try await database.read { database in
            try ids.compactMap { id in
                try Row.fetchOne(
                    database,
                    sql: "SELECT \(RunRow.columns) FROM run WHERE id = ?",
                    arguments: [id]
                )
                .map(RunRow.record)
            }
        }
    }

    /// Runs from the newest to the oldest.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - before: Only runs of lower numbers.
    ///   - state: Only runs of this state.
    /// - Returns: The runs.
    /// - Throws: An error of the database's.
    public func runs(
        limit: Int,
        before: Int64? = nil,
        state: RunState? = nil
    ) async throws -> [RunRecord] {
        try await database.read { database in
            var conditions = ["id < ?"]
            var arguments: [any DatabaseValueConvertible] = [before ?? Int64.max]
            if let state {
                conditions.append("state = ?")
                arguments.append(state.rawValue)
            }
            arguments.append(limit)
            return
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT \(RunRow.columns) FROM run WHERE \(conditions.joined(separator: " AND "))
                        ORDER BY id DESC LIMIT ?
                        """,
                    arguments: StatementArguments(arguments)
                )
                .map(RunRow.record)
        }
    }

    /// The timeline that was kept of a run, as it was given; nil if none was.
    public func timeline(_ id: Int64) async throws -> [UInt8]? {
        try await database.read { database in
            try Data.fetchOne(
                database,
                sql: "SELECT data FROM timeline WHERE runID = ?",
                arguments: [id]
            )
            .map { [UInt8]($0) }
        }
    }

    /// Reads something, to see whether the database answers.
    public func check() async throws {
        _ = try await database.read { try Int.fetchOne($0, sql: "SELECT 1 FROM run LIMIT 1") }
    }

    private static func record(key: String, in database: Database) throws -> RunRecord? {
        try Row.fetchOne(
            database,
            sql: "SELECT \(RunRow.columns) FROM run WHERE key = ?",
            arguments: [key]
        )
        .map(RunRow.record)
    }
}
