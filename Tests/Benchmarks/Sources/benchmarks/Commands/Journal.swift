import ArgumentParser
import Foundation

/// Measures durable steps and the disk's own figures in the same run.
struct Journal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the steps of a journal beside the disk that it writes to."
    )

    @Option(help: "How many steps a round has.")
    var steps = 100_000

    @Option(help: "How many rounds the medians are of.")
    var rounds = 5

    @Option(help: "A folder on the disk that is measured.")
    var folder = FileManager.default.temporaryDirectory.path

    @Option(
        help:
            "Measure this alone, for a profiler: plain or durable steps, which stay in the folder, opening those, or a part of an outbox."
    )
    var only: JournalPart?

    @Flag(help: "End with status 1 if a bound is broken.")
    var check = false

    @Option(help: "Write the table into the document of the repository at this path.")
    var document: String?

    func validate() throws {
        guard steps >= 1_000 else { throw ValidationError("--steps must be at least 1000") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be at least 1") }
        guard only == nil || document == nil else {
            throw ValidationError("--document needs a whole run: no --only")
        }
    }

    func run() throws {
        if let only {
            let costs = JournalCosts(folder: URL(filePath: folder), steps: steps)
            return print(try costs.measure(only).text)
        }
        print(MachineDescription.text)
        let folder = URL(filePath: folder).appending(path: "journal-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let costs = JournalCosts(folder: folder, steps: steps)
        let samples = try (0..<rounds).map { _ in try costs.measure() }
        let rows = JournalBound.all.enumerated()
            .compactMap { at, bound in
                Summary(samples.map { $0[at] }).map { (bound, $0) }
            }
        var table = Table(
            title: "Journal",
            header: ["work", "measured", "rounds (min … max)", "bound", "aim", "verdict"]
        )
        table.rows = rows.map { $0.0.cells($0.1) }
        print(table.text)
        print(MachineDescription.text)
        if let document { try write(table, into: document) }
        guard check, rows.contains(where: { $0.0.verdict($0.1.median) == .broken }) else { return }
        throw ExitCode(1)
    }

    private func write(_ table: Table, into repository: String) throws {
        let file = URL(filePath: repository, directoryHint: .isDirectory)
            .appending(path: "Tests/Benchmarks/Results.md")
        var document = MarkedDocument(text: try String(contentsOf: file, encoding: .utf8))
        guard document.replace("journal", with: table) else {
            throw ValidationError("Results.md has no marks for: journal")
        }
        try document.text.write(to: file, atomically: true, encoding: .utf8)
    }
}

extension JournalPart: ExpressibleByArgument {}
