import Foundation
import GRDB

/// Reads records of the table `run`.
enum RunRow {
    /// The columns of a record.
    ///
    /// Parameters and results may be large and are only read on demand.
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
                    requested, priority, runAt, crashes, journalID, foldedTitle)
                VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                new.kind, storable(new.title), new.attempt, new.previousID, new.submittedAt,
                new.parameters, new.key, new.requested, new.priority, new.runAt, new.crashes,
                new.journalID, folded(new.title),
            ]
        )
        return RunRecord(
            id: database.lastInsertedRowID,
            kind: new.kind,
            title: storable(new.title),
            state: .queued,
            attempt: new.attempt,
            previousID: new.previousID,
            submittedAt: new.submittedAt,
            priority: new.priority,
            runAt: new.runAt
        )
    }

    /// Replaces NULs in a text, because SQLite would end it at the first one.
    static func storable(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 })
        )
    }

    /// Normalizes a text for searches: in one case, and in Unicode's composed form.
    ///
    /// Uppercasing first makes letters with the same uppercase form equal, such as `ß` and `ss`.
    static func folded(_ text: String) -> String {
        storable(text).precomposedStringWithCanonicalMapping.uppercased().lowercased()
            .precomposedStringWithCanonicalMapping
    }

    /// Failures as they are stored in a column, or nil if there are none.
    static func text(_ failures: [RunFailure]) throws -> String? {
        guard !failures.isEmpty else { return nil }
        return String(decoding: try JSONEncoder().encode(failures), as: UTF8.self)
    }

    private static func failures(_ text: String?) -> [RunFailure] {
        guard let text else { return [] }
        return (try? JSONDecoder().decode([RunFailure].self, from: Data(text.utf8))) ?? []
    }
}
