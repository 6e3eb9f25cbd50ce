import ArgumentParser

/// The command line of `job-server backup`.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job-server backup",
        abstract: "Makes a whole copy of a database, also while a server uses it."
    )

    @Argument(help: "The copy, which must not exist yet.") var file: String
    @Option(help: "The database.") var data = "job-server.sqlite"
}

/// The command line of `job-server check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job-server check",
        abstract: "Runs SQLite's integrity check over a database, also while a server uses it."
    )

    @Option(help: "The database.") var data = "job-server.sqlite"
}
