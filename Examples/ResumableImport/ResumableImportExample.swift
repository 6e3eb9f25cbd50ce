import ArgumentParser
import Foundation
import JobJournal
import JobKit

/// Imports a CSV file into a server, and continues after the process was killed.
@main
struct ResumableImportExample: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resumable-import",
        subcommands: [Serve.self, Import.self],
        defaultSubcommand: Import.self
    )

    /// The server, which keeps running when the import is killed.
    struct Serve: AsyncParsableCommand {
        @Option(help: "The port on 127.0.0.1.")
        var port: UInt16 = 8091

        func run() async throws {
            print("listening on http://127.0.0.1:\(port)")
            try await RowServer(port: port).run()
        }
    }

    struct Import: AsyncParsableCommand {
        @Option(help: "The folder of the journal.")
        var journal: String

        @Option(help: "The file; made with 50,000 rows where it is missing.")
        var csv = "customers.csv"

        @Option(help: "How many rows a file gets that is made.")
        var rows = 50_000

        @Option(help: "The server.")
        var server = "http://127.0.0.1:8091"

        func run() async throws {
            let file = URL(fileURLWithPath: csv)
            if !FileManager.default.fileExists(atPath: csv) {
                try RowBatch.makeFile(at: file, rowCount: rows)
            }
            guard let url = URL(string: server) else {
                throw ValidationError("\(server) is no URL")
            }
            let client = RowClient(server: url)
            let journal = try JobJournal(
                at: URL(fileURLWithPath: journal),
                job: "import of \(file.lastPathComponent)"
            )
            let batches = try RowBatch.all(of: file)
            print("\(batches.count) batches, \(journal.recordedCount) of them known")
            let job = RowImport(of: batches, to: client, journal: journal)
            try await job.run()
            let report = try await job.value
            print("sent \(report.sent) batches, \(report.inDoubt) of which had begun before")
            let summary = try await client.summary()
            print(
                "the server has \(summary.rows) rows of \(report.rows), "
                    + "and recognised \(summary.recognised) repeated requests"
            )
            try await journal.remove()
        }
    }
}
