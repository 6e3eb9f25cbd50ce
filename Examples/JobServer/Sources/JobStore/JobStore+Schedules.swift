import GRDB

extension JobStore {
    /// When a schedule was last due, and the run that it queued then; nil if it never was.
    public func lastTime(of schedule: String) async throws -> (time: Int64, runID: Int64?)? {
        try await read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT lastAt, runID FROM schedule WHERE name = ?",
                arguments: [schedule]
            )
            .map { ($0["lastAt"], $0["runID"]) }
        }
    }

    /// Queues a schedule's run and notes for which time, in one transaction; without a run, the time alone.
    public func add(_ new: NewRun?, for schedule: String, at time: Int64) async throws -> RunRecord?
    {
        try await writer.write { database in
            let record = try new.map { try RunRow.insert($0, into: database) }
            try database.execute(
                sql: "INSERT OR REPLACE INTO schedule (name, lastAt, runID) VALUES (?, ?, ?)",
                arguments: [schedule, time, record?.id]
            )
            return record
        }
    }
}
