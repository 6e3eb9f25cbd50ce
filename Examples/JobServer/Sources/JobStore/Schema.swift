import GRDB

/// The tables, and how they came to be.
enum Schema {
    /// What marks a file as a database of this server: "jobs" in ASCII.
    static let applicationID: Int32 = 0x6A6F_6273

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("runs") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(
                sql: """
                    CREATE TABLE run (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        kind TEXT NOT NULL,
                        title TEXT NOT NULL,
                        state TEXT NOT NULL,
                        progress REAL NOT NULL DEFAULT 0,
                        tasksTracked INTEGER NOT NULL DEFAULT 0,
                        tasksFinished INTEGER NOT NULL DEFAULT 0,
                        tasksFailed INTEGER NOT NULL DEFAULT 0,
                        attempt INTEGER NOT NULL,
                        previousID INTEGER,
                        submittedAt INTEGER NOT NULL,
                        startedAt INTEGER,
                        finishedAt INTEGER,
                        error TEXT,
                        parameters TEXT NOT NULL,
                        result TEXT,
                        key TEXT
                    );
                    CREATE UNIQUE INDEX runByKey ON run (key) WHERE key IS NOT NULL;
                    CREATE INDEX runByState ON run (state, id);
                    CREATE INDEX runByEnd ON run (finishedAt) WHERE finishedAt IS NOT NULL;
                    CREATE TABLE timeline (
                        runID INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
                        data BLOB NOT NULL
                    );
                    """
            )
        }
        return migrator
    }

    /// Whether a database is empty or was made by this server.
    static func isOurs(_ database: Database) throws -> Bool {
        let mark = try Int32.fetchOne(database, sql: "PRAGMA application_id")
        if mark == applicationID { return true }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    }
}
