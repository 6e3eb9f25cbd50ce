import Foundation
import GRDB

extension JobStore {
    /// Reads from the database.
    ///
    /// Errors of the file become ``StoreFailed``.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await database.read(body)
        } catch let error as DatabaseError {
            throw StoreFailed(reason: StoreWriter.text(error))
        }
    }

    /// Returns a run with its parameters and result, or nil if the number is unknown.
    public func detail(_ id: Int64) async throws -> RunDetail? {
        try await read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT \(RunRow.columns), parameters, result, key, journalID
                    FROM run WHERE id = ?
                    """,
                arguments: [id]
            )
            .map { row in
                RunDetail(
                    record: RunRow.record(row),
                    parameters: row["parameters"],
                    result: row["result"],
                    key: row["key"],
                    journalID: row["journalID"]
                )
            }
        }
    }

    /// Returns the run that has a key, compared with a submission, or nil if there is none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - kind: The submitted kind.
    ///   - requested: The parameters as the client sent them.
    /// - Returns: The run, marked as equal to the submission or as another one.
    /// - Throws: ``StoreFailed``.
    public func holder(
        of key: String,
        like kind: String,
        _ requested: String?
    ) async throws -> Addition? {
        try await read { try Self.holder(of: key, like: kind, requested, in: $0) }
    }

    /// Returns runs by their numbers, in no order.
    ///
    /// Unknown numbers are skipped.
    public func runs(_ ids: [Int64]) async throws -> [RunRecord] {
        try await read { database in
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

    /// Returns runs, newest first, and their numbers by state.
    ///
    /// - Parameter filter: The filter for runs.
    /// - Returns: The runs, and the totals of all runs.
    /// - Throws: ``StoreFailed``.
    public func list(_ filter: RunFilter) async throws -> RunList {
        try await read { database in
            // Each state is read separately, because an index has the runs of each state in order.
            let states = filter.states.isEmpty ? [nil] : filter.states.map { Optional($0) }
            let runs = try states.flatMap { try Self.runs(filter, state: $0, in: database) }
            let totals = try Row.fetchAll(database, sql: "SELECT state, count FROM total")
                .compactMap { row in
                    RunState(rawValue: row["state"]).map { ($0, row["count"] as Int) }
                }
            return RunList(
                runs: Array(runs.sorted { $0.id > $1.id }.prefix(filter.limit)),
                totals: Dictionary(totals) { $1 }
            )
        }
    }

    private static func runs(
        _ filter: RunFilter,
        state: RunState?,
        in database: Database
    ) throws -> [RunRecord] {
        var conditions = ["id < ?"]
        var arguments: [any DatabaseValueConvertible] = [filter.before ?? Int64.max]
        if let state {
            conditions.append("state = ?")
            arguments.append(state.rawValue)
        }
        if !filter.kinds.isEmpty {
            let marks = Array(repeating: "?", count: filter.kinds.count).joined(separator: ",")
            conditions.append("kind IN (\(marks))")
            arguments += filter.kinds.sorted().map { $0 as any DatabaseValueConvertible }
        }
        if let text = filter.text, !text.isEmpty {
            conditions.append("instr(foldedTitle, ?) > 0")
            arguments.append(RunRow.folded(text))
        }
        arguments.append(filter.limit)
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

    /// Returns the stored timeline of a run, or nil.
    public func timeline(_ id: Int64) async throws -> [UInt8]? {
        try await read { database in
            try Data.fetchOne(
                database,
                sql: "SELECT data FROM timeline WHERE runID = ?",
                arguments: [id]
            )
            .map { [UInt8]($0) }
        }
    }

    /// Returns the runs that share a run's journal, including that run.
    static func chain(of id: Int64, in database: Database) throws -> RunChainStateMachine? {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT coalesce(journalID, id) AS journal FROM run WHERE id = ?",
            arguments: [id]
        )
        guard let journalID = row.map({ $0["journal"] as Int64 }) else { return nil }
        let members =
            try Row.fetchAll(
                database,
                sql: """
                    SELECT id, state FROM run WHERE journalID = ?1
                    UNION SELECT id, state FROM run WHERE id = ?1 AND journalID IS NULL
                    """,
                arguments: [journalID]
            )
            .map { row in
                RunChainStateMachine.Member(
                    id: row["id"],
                    state: RunState(rawValue: row["state"]) ?? .interrupted
                )
            }
        return RunChainStateMachine(journalID: journalID, members: members)
    }

    /// Returns the number of the latest run that follows a run, or nil.
    public func follower(of id: Int64) async throws -> Int64? {
        try await read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT max(id) FROM run WHERE previousID = ?",
                arguments: [id]
            )
        }
    }

    static func holder(
        of key: String,
        like kind: String,
        _ requested: String?,
        in database: Database
    ) throws -> Addition? {
        try Row.fetchOne(
            database,
            sql: "SELECT \(RunRow.columns), requested FROM run WHERE key = ?",
            arguments: [key]
        )
        .map { row in
            let record = RunRow.record(row)
            // An earlier version of the server did not store the parameters as they were sent.
            let sent: String? = row["requested"]
            let isSame = sent == nil || sent.map { Name($0) } == requested.map { Name($0) }
            return Name(record.kind) == Name(kind) && isSame ? .known(record) : .keyInUse(record)
        }
    }
}
