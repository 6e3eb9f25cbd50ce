import GRDB

extension JobStore {
    /// What a deletion of runs that ended before a time would take, and what it would leave.
    public func endedRuns(before time: Int64) async throws -> (count: Int, total: Int) {
        try await read { database in
            let ended = "state NOT IN ('queued', 'running')"
            let count = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM run WHERE finishedAt < ? AND \(ended)",
                arguments: [time]
            )
            let total = try Int.fetchOne(
                database,
                sql: "SELECT sum(count) FROM total WHERE \(ended)"
            )
            return (count ?? 0, total ?? 0)
        }
    }

    /// When the run that ended last did, in milliseconds since 1970; nil if none has ended.
    public func newestEnd() async throws -> Int64? {
        try await read { try Int64.fetchOne($0, sql: "SELECT max(finishedAt) FROM run") }
    }

    /// Whether a run that is kept may go on with a journal, known by its first run's number.
    public func needsJournal(_ id: Int64) async throws -> Bool {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT 1 FROM run WHERE id = ? OR journalID = ? LIMIT 1",
                arguments: [id, id]
            )
            return row != nil
        }
    }

    /// Deletes the runs that ended before a time; their numbers are not used again.
    ///
    /// - Parameter time: The time, in milliseconds since 1970.
    /// - Returns: How many were deleted.
    /// - Throws: An error of the database's.
    public func deleteRuns(endedBefore time: Int64) async throws -> Int {
        var count = 0
        while true {
            // Others write between the parts, and the log stays small.
            let part = try await writer.write { database in
                try database.execute(
                    sql: """
                        DELETE FROM run WHERE id IN (
                            SELECT id FROM run WHERE finishedAt < ?
                                AND state NOT IN ('queued', 'running') LIMIT 5000)
                        """,
                    arguments: [time]
                )
                return database.changesCount
            }
            count += part
            if part < 5_000 { return count }
        }
    }
}
