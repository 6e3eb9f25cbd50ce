import GRDB

/// The tables and their migrations.
enum Schema {
    /// Marks a file as a database of this server: "jobs" in ASCII.
    static let applicationID: Int32 = 0x6A6F_6273

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("runs") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: runs)
        }
        migrator.registerMigration("plans") { try $0.execute(sql: plans) }
        migrator.registerMigration("chains") { database in
            try database.execute(sql: chains)
            let runs = try Row.fetchCursor(database, sql: "SELECT id, title FROM run")
            while let run = try runs.next() {
                try database.execute(
                    sql: "UPDATE run SET foldedTitle = ? WHERE id = ?",
                    arguments: [RunRow.folded(run["title"]), run["id"] as Int64]
                )
            }
        }
        migrator.registerMigration("pauses") { try $0.execute(sql: pauses) }
        return migrator
    }

    private static let runs = """
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

    /// Adds priorities, times and failures of runs, totals by state, and a table for test writes.
    ///
    /// The totals exist because counting half a million runs takes longer than reading a list of
    /// fifty.
    private static let plans = """
        ALTER TABLE run ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run ADD COLUMN runAt INTEGER;
        ALTER TABLE run ADD COLUMN cancelRequestedAt INTEGER;
        ALTER TABLE run ADD COLUMN failures TEXT;
        ALTER TABLE run ADD COLUMN requested TEXT;
        ALTER TABLE run ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run ADD COLUMN knownSteps INTEGER;
        ALTER TABLE run ADD COLUMN journalID INTEGER;
        CREATE INDEX runByJournal ON run (journalID) WHERE journalID IS NOT NULL;
        CREATE TABLE total (state TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO total SELECT state, count(*) FROM run GROUP BY state;
        CREATE TRIGGER runAdded AFTER INSERT ON run BEGIN
            INSERT INTO total VALUES (NEW.state, 1)
                ON CONFLICT (state) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER runMoved AFTER UPDATE OF state ON run WHEN NEW.state <> OLD.state BEGIN
            UPDATE total SET count = count - 1 WHERE state = OLD.state;
            INSERT INTO total VALUES (NEW.state, 1)
                ON CONFLICT (state) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER runDeleted AFTER DELETE ON run BEGIN
            UPDATE total SET count = count - 1 WHERE state = OLD.state;
        END;
        CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL);
        INSERT INTO probe VALUES (1, 0);
        CREATE TABLE schedule (name TEXT PRIMARY KEY, lastAt INTEGER NOT NULL, runID INTEGER);
        """

    /// Adds normalized titles, the run that follows a run, paused schedules, and the state of
    /// retention.
    private static let chains = """
        ALTER TABLE run ADD COLUMN foldedTitle TEXT NOT NULL DEFAULT '';
        CREATE INDEX runByPrevious ON run (previousID) WHERE previousID IS NOT NULL;
        ALTER TABLE schedule ADD COLUMN isPaused INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX scheduleByRun ON schedule (runID) WHERE runID IS NOT NULL;
        CREATE TABLE retention (
            id INTEGER PRIMARY KEY CHECK (id = 1), newest INTEGER NOT NULL, served INTEGER NOT NULL
        );
        """

    /// Adds the kinds of which a person has paused the starts.
    ///
    /// Null marks all runs.
    private static let pauses = "CREATE TABLE pause (kind TEXT UNIQUE)"

    /// Whether a database is empty or was made by this server.
    static func isOurs(_ database: Database) throws -> Bool {
        let mark = try Int32.fetchOne(database, sql: "PRAGMA application_id")
        if mark == applicationID { return true }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    }
}
