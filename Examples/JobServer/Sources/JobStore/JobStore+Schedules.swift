import GRDB

/// The state of a schedule.
public struct ScheduleRecord: Sendable, Equatable {
    /// The last due time, in milliseconds since 1970.
    public var lastAt: Int64
    /// The last queued run, or the latest run that follows it.
    ///
    /// Nil if it was deleted.
    public var runID: Int64?
    /// Whether that run has not ended.
    public var isBusy: Bool
    /// Whether it queues no runs until it is resumed.
    public var isPaused = false
}

extension JobStore {
    /// Returns the state of a schedule, or nil if the server has never checked it.
    public func schedule(_ name: String) async throws -> ScheduleRecord? {
        try await read { try Self.schedule(name, in: $0) }
    }

    private static func schedule(_ name: String, in database: Database) throws -> ScheduleRecord? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT lastAt, runID, coalesce((SELECT state IN ('queued', 'running') FROM run
                    WHERE run.id = runID), 0) AS isBusy, isPaused
                FROM schedule WHERE name = ?
                """,
            arguments: [name]
        )
        .map { row in
            ScheduleRecord(
                lastAt: row["lastAt"],
                runID: row["runID"],
                isBusy: row["isBusy"],
                isPaused: row["isPaused"]
            )
        }
    }

    /// Pauses or resumes a schedule.
    ///
    /// - Parameters:
    ///   - schedule: The schedule's name.
    ///   - isPaused: Whether it queues no runs.
    ///   - now: The time, in milliseconds since 1970.
    /// - Throws: An error of the database.
    public func pause(_ schedule: String, _ isPaused: Bool, at now: Int64) async throws {
        try await writer.write { database in
            try database.execute(
                sql: """
                    INSERT INTO schedule (name, lastAt, isPaused) VALUES (?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET isPaused = excluded.isPaused
                    """,
                arguments: [schedule, now, isPaused]
            )
        }
    }

    /// Saves the last due time of a schedule and keeps its last run.
    public func noteTime(of schedule: String, at time: Int64) async throws {
        try await writer.write { database in
            try database.execute(
                sql: """
                    INSERT INTO schedule (name, lastAt) VALUES (?, ?)
                    ON CONFLICT (name) DO UPDATE SET lastAt = excluded.lastAt
                    """,
                arguments: [schedule, time]
            )
        }
    }

    /// Queues a schedule's run and saves its due time in one transaction.
    ///
    /// - Parameters:
    ///   - new: The run.
    ///   - schedule: The schedule's name.
    ///   - time: The due time.
    /// - Returns: The run, or nil if another run of the schedule has not ended, or it has already
    ///   run for this time.
    /// - Throws: An error of the database.
    public func add(_ new: NewRun, for schedule: String, at time: Int64) async throws -> RunRecord?
    {
        try await writer.write { database in
            let known = try Self.schedule(schedule, in: database)
            guard known?.isBusy != true, known?.isPaused != true else { return nil }
            let record = try RunRow.insert(new, into: database)
            try database.execute(
                sql: """
                    INSERT INTO schedule (name, lastAt, runID) VALUES (?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET lastAt = excluded.lastAt, runID = excluded.runID
                    """,
                arguments: [schedule, time, record.id]
            )
            return record
        }
    }
}
