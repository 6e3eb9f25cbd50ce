import Foundation
import GRDB

/// Runs that follow other runs, as ``RunChainStateMachine`` decides.
extension JobStore {
    /// Takes over the runs of the server's last session.
    ///
    /// A run that was executing is `interrupted`. It runs again if its kind permits it. A queued run
    /// that was asked to stop is `cancelled`.
    ///
    /// - Parameters:
    ///   - now: The time, in milliseconds since 1970.
    ///   - resumable: The kinds of runs that are repeated as new runs.
    ///   - attempts: After this many starts that ended with the process, a run is not repeated.
    /// - Returns: The runs that were found, and those that are queued.
    /// - Throws: An error of the database.
    public func recover(
        now: Int64,
        resumable: Set<String> = [],
        attempts: Int = .max
    ) async throws -> Recovery {
        try await writer.write { database in
            var recovery = Recovery()
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(RunRow.columns), parameters, key, requested, crashes, journalID FROM run
                    WHERE state = 'running' ORDER BY id
                    """
            )
            for row in rows {
                let record = RunRow.record(row)
                recovery.interruptedIDs.append(record.id)
                let crashes: Int = row["crashes"] + 1
                let mayRepeat = resumable.contains(record.kind) && record.cancelRequestedAt == nil
                let isWornOut = mayRepeat && crashes >= attempts
                if isWornOut { recovery.wornOutIDs.append(record.id) }
                let reason =
                    isWornOut
                    ? "Not run again: \(crashes) start\(crashes == 1 ? "" : "s") in a row ended with the process."
                    : nil
                try database.execute(
                    sql: """
                        UPDATE run SET state = 'interrupted', finishedAt = max(?, startedAt), error = ?,
                            crashes = ? WHERE id = ?
                        """,
                    arguments: [now, reason, crashes, record.id]
                )
                guard mayRepeat, !isWornOut else { continue }
                let new = NewRun(
                    kind: record.kind,
                    title: record.title,
                    parameters: row["parameters"],
                    key: row["key"],
                    previousID: record.id,
                    attempt: record.attempt + 1,
                    submittedAt: now,
                    requested: row["requested"],
                    priority: record.priority,
                    crashes: crashes,
                    journalID: row["journalID"] ?? record.id
                )
                recovery.resumedIDs.append(try Self.succeed(record.id, with: new, in: database).id)
            }
            try database.execute(
                sql: """
                    UPDATE run SET state = 'cancelled', finishedAt = max(?, submittedAt)
                    WHERE state = 'queued' AND cancelRequestedAt IS NOT NULL
                    """,
                arguments: [now]
            )
            recovery.queued =
                try Row.fetchAll(
                    database,
                    sql: "SELECT \(RunRow.columns) FROM run WHERE state = 'queued' ORDER BY id"
                )
                .map(RunRow.record)
            recovery.pauses = try Self.pauses(in: database)
            return recovery
        }
    }

    /// Adds a run that follows one that has ended.
    ///
    /// It takes over its key and its schedule.
    static func succeed(
        _ id: Int64,
        with new: NewRun,
        in database: Database
    ) throws -> RunRecord {
        if new.key != nil {
            try database.execute(sql: "UPDATE run SET key = NULL WHERE id = ?", arguments: [id])
        }
        let record = try RunRow.insert(new, into: database)
        if new.previousID == id {
            try database.execute(
                sql: "UPDATE schedule SET runID = ? WHERE runID = ?",
                arguments: [record.id, id]
            )
        }
        return record
    }

    /// The result of a request to run a run again.
    public enum Repetition: Sendable, Equatable {
        /// A new run was queued.
        case added(RunRecord)
        /// The run has not ended.
        case notEnded
        /// The given run follows it and has not ended.
        case followed(by: Int64)
        /// No run has this number.
        case unknown
    }

    /// Adds a run that a person has requested as a repetition of one that has ended.
    ///
    /// - Parameters:
    ///   - id: The run to repeat.
    ///   - new: The run to queue. This method decides whether it continues a journal.
    /// - Returns: The new run, or the reason why there is none.
    /// - Throws: An error of the database.
    public func repeatRun(_ id: Int64, as new: NewRun) async throws -> Repetition {
        try await writer.write { database in
            guard let chain = try Self.chain(of: id, in: database) else { return .unknown }
            switch chain.followRequested(id, .repetition) {
            case .refuseUnknown: return .unknown
            case .refuseUnfinished: return .notEnded
            case .refuseFollower(let follower): return .followed(by: follower)
            case .queue(let journalID, _):
                var new = new
                (new.previousID, new.journalID, new.key) = (id, journalID, nil)
                return .added(try Self.succeed(id, with: new, in: database))
            }
        }
    }

    /// The result of a request to delete a run.
    public enum Deletion: Sendable, Equatable {
        /// It was deleted.
        ///
        /// The journal with this number no longer belongs to a run.
        case deleted(journalID: Int64?)
        /// The run has not ended.
        case notEnded
        /// No run has this number.
        case unknown
    }

    /// Deletes a run that has ended.
    ///
    /// Its number is not used again.
    ///
    /// - Returns: Whether it was deleted, and the journal to delete with it.
    /// - Throws: An error of the database.
    public func delete(_ id: Int64) async throws -> Deletion {
        try await writer.write { database in
            guard let chain = try Self.chain(of: id, in: database) else { return .unknown }
            switch chain.deletionRequested(id) {
            case .refuseUnknown: return .unknown
            case .refuseUnfinished: return .notEnded
            case .delete(let removesJournal):
                try database.execute(sql: "DELETE FROM run WHERE id = ?", arguments: [id])
                return .deleted(journalID: removesJournal ? chain.journalID : nil)
            }
        }
    }
}
