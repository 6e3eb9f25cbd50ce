import Foundation
import GRDB

extension JobStore {
    /// Reads; an error of the file's is ``StoreFailed``.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await database.read(body)
        } catch let error as DatabaseError {
            throw StoreFailed(reason: StoreWriter.text(error))
        }
    }

    /// One run with its parameters and its result; nil if there is none of that number.
    public func detail(_ id: Int64) async throws -> RunDetail? {
        try await read { database in
            try Row.fetchOne(
                database,
                sql:
                    "SELECT \(RunRow.columns), parameters, result, journalID FROM run WHERE id = ?",
                arguments: [id]
            )
            .map { row in
                RunDetail(
                    record: RunRow.record(row),
                    parameters: row["parameters"],
                    result: row["result"],
                    journalID: row["journalID"]
                )
            }
        }
    }

    /// The run that has a key, compared with what is submitted with it; nil if none has.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - kind: The kind that is submitted.
    ///   - requested: The parameters as the client sends them.
    /// - Returns: The run, as the one that is submitted or as another one.
    /// - Throws: ``StoreFailed``.
    public func holder(
        of key: String,
        like kind: String,
        _ requested: String?
    ) async throws -> Addition? {
        try await read { try Self.holder(of: key, like: kind, requested, in: $0) }
    }

    /// Runs by their numbers, in no order; unknown ones are left out.
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

    /// Runs from the newest to the oldest, and how many there are.
    ///
    /// - Parameter filter: Which runs.
    /// - Returns: The runs, and the totals of all.
    /// - Throws: ``StoreFailed``.
    public func list(_ filter: RunFilter) async throws -> RunList {
        try await read { database in
            // One part for each state: an index has each part in order.
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

    /// The timeline that was kept of a run, as it was given; nil if none was.
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

    /// The runs that continue a run's journal, that run included.
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

    /// The number of the latest run that follows a run; nil if none does.
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
            // A server of before did not keep what was sent.
            let sent: String? = row["requested"]
            let isSame = sent == nil || sent.map { Name($0) } == requested.map { Name($0) }
            return Name(record.kind) == Name(kind) && isSame ? .known(record) : .keyInUse(record)
        }
    }
}
