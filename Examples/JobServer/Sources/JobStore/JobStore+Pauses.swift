import GRDB

/// The starts that a person has paused.
package struct StartPauses: Sendable, Equatable {
    /// Whether no run starts.
    package var isPaused = false
    /// The kinds of which no run starts.
    package var kinds: Set<Name> = []
    /// A number that increases with each change while the database is open.
    package var revision = 0

    package init() {}
}

extension JobStore {
    /// Pauses or resumes the starts of a kind's runs, or of all runs.
    ///
    /// - Parameters:
    ///   - kind: The kind, or nil for all runs.
    ///   - isPaused: Whether no run starts.
    /// - Returns: All pauses after this change.
    /// - Throws: ``StoreFailed``.
    package func pause(_ kind: Name?, _ isPaused: Bool) async throws -> StartPauses {
        try await writer.write { database in
            // A kind that is null marks the pause of all runs.
            try database.execute(
                sql: "DELETE FROM pause WHERE kind IS ?",
                arguments: [kind?.text]
            )
            if isPaused {
                try database.execute(
                    sql: "INSERT INTO pause (kind) VALUES (?)",
                    arguments: [kind?.text]
                )
            }
            return try Self.pauses(in: database)
        }
    }

    static func pauses(in database: Database) throws -> StartPauses {
        var pauses = StartPauses()
        for row in try Row.fetchAll(database, sql: "SELECT kind FROM pause") {
            if let text: String = row["kind"] {
                pauses.kinds.insert(Name(text))
            } else {
                pauses.isPaused = true
            }
        }
        pauses.revision = database.totalChangesCount
        return pauses
    }
}
