import Foundation
import GRDB

/// Reads records of the table `run`.
enum RunRow {
    /// The columns of a record; parameters and results may be large, and are read where they are asked for.
    static let columns = """
        id, kind, title, state, progress, tasksTracked, tasksFinished, tasksFailed, attempt, previousID,
        submittedAt, startedAt, finishedAt, error, priority, runAt, cancelRequestedAt, failures, knownSteps
        """

    static func record(_ row: Row) -> RunRecord {
        RunRecord(
            id: row["id"],
            kind: row["kind"],
            title: row["title"],
            state: RunState(rawValue: row["state"]) ?? .interrupted,
            progress: row["progress"],
            tasksTracked: row["tasksTracked"],
            tasksFinished: row["tasksFinished"],
            tasksFailed: row["tasksFailed"],
            attempt: row["attempt"],
            previousID: row["previousID"],
            submittedAt: row["submittedAt"],
            startedAt: row["startedAt"],
            finishedAt: row["finishedAt"],
            error: row["error"],
            priority: row["priority"],
            runAt: row["runAt"],
            cancelRequestedAt: row["cancelRequestedAt"],
            failures: failures(row["failures"]),
            knownSteps: row["knownSteps"]
        )
    }

    static func insert(_ new: NewRun, into database: Database) throws -> RunRecord {
        try database.execute(
            sql: """
                INSERT INTO run (kind, title, state, attempt, previousID, submittedAt, parameters, key,
                    requested, priority, runAt, crashes, journalID)
                VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                new.kind, new.title, new.attempt, new.previousID, new.submittedAt,
                new.parameters, new.key, new.requested, new.priority, new.runAt, new.crashes,
                new.journalID,
            ]
        )
        return RunRecord(
            id: database.lastInsertedRowID,
            kind: new.kind,
            title: new.title,
            state: .queued,
            attempt: new.attempt,
            previousID: new.previousID,
            submittedAt: new.submittedAt,
            priority: new.priority,
            runAt: new.runAt
        )
    }

    /// Failures as a column keeps them; nil for none.
    static func text(_ failures: [RunFailure]) throws -> String? {
        guard !failures.isEmpty else { return nil }
        return String(decoding: try JSONEncoder().encode(failures), as: UTF8.self)
    }

    private static func failures(_ text: String?) -> [RunFailure] {
        guard let text else { return [] }
        return (try? JSONDecoder().decode([RunFailure].self, from: Data(text.utf8))) ?? []
    }
}
