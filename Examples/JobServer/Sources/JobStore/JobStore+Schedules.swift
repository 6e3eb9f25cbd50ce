import GRDB

/// What is known of a schedule.
public struct ScheduleRecord: Sendable, Equatable {
    /// When it was last due, in milliseconds since 1970.
    public var lastAt: Int64
    /// The run that it has queued last, or the latest one that follows that run; nil if it was deleted.
    public var runID: Int64?
    /// Whether that run has not ended.
    public var isBusy: Bool
    /// Whether it queues no runs until it is resumed.
    public var isPaused = false
}

extension JobStore {
    /// What is known of a schedule; nil if the server has never looked at it.
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

    /// Lets a schedule queue no runs, or lets it queue them again.
    ///
    /// - Parameters:
    ///   - schedule: The schedule's name.
    ///   - isPaused: Whether it queues no runs.
    ///   - now: The time, in milliseconds since 1970.
    /// - Throws: An error of the database's.
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

    /// Notes when a schedule was last due, and keeps the run that it has queued.
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

    /// Queues a schedule's run and notes for which time, in one transaction.
    ///
    /// - Parameters:
    ///   - new: The run.
    ///   - schedule: The schedule's name.
    ///   - time: The time that it was due.
    /// - Returns: The run; nil if another run of the schedule has not ended, or it has run for this time.
    /// - Throws: An error of the database's.
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
