import GRDB

extension JobStore {
    /// Counts the runs that ended before a time, and all runs.
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

    /// Decides from which end retention counts, and saves the decision.
    ///
    /// - Parameter now: The time, in milliseconds since 1970.
    /// - Returns: The state of retention, or nil if no run has ended.
    /// - Throws: An error of the database.
    package func retention(at now: Int64) async throws -> RetentionStateMachine? {
        try await writer.write { database in
            let newest = try Int64.fetchOne(database, sql: "SELECT max(finishedAt) FROM run")
            guard var machine = try Self.retention(in: database) else {
                let machine = RetentionStateMachine(newest: newest ?? now)
                try Self.keep(machine, in: database)
                return newest == nil ? nil : machine
            }
            guard let newest else { return nil }
            let believed = try Int64.fetchOne(
                database,
                sql: "SELECT max(finishedAt) FROM run WHERE finishedAt <= ?",
                arguments: [machine.latest]
            )
            machine.sweepBegan(newestEnd: newest, believedEnd: believed)
            try Self.keep(machine, in: database)
            return machine
        }
    }

    /// Adds to the time that the server has been serving.
    package func noteServed(_ time: Int64, at now: Int64) async throws {
        try await writer.write { database in
            var machine = try Self.retention(in: database) ?? RetentionStateMachine(newest: now)
            machine.hasServed(time)
            try Self.keep(machine, in: database)
        }
    }

    private static func retention(in database: Database) throws -> RetentionStateMachine? {
        try Row.fetchOne(database, sql: "SELECT newest, served FROM retention")
            .map { RetentionStateMachine(newest: $0["newest"], served: $0["served"]) }
    }

    private static func keep(_ machine: RetentionStateMachine, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO retention (id, newest, served) VALUES (1, ?, ?)",
            arguments: [machine.newest, machine.served]
        )
    }

    /// Whether a stored run may continue the journal with this number, that of its first run.
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

    /// Deletes the runs that ended before a time.
    ///
    /// Their numbers are not used again.
    ///
    /// - Parameter time: The time, in milliseconds since 1970.
    /// - Returns: The number of deleted runs.
    /// - Throws: An error of the database.
    public func deleteRuns(endedBefore time: Int64) async throws -> Int {
        var count = 0
        while true {
            // Several parts let others write between them, and keep the log small.
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
