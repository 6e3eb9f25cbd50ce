import ArgumentParser
import Foundation
import Logging

/// The program, which measures the promises of the server and reports which ones hold.
@main
struct JobServerBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job-server-benchmarks",
        abstract: "Measures an observed job and a real job-server against their bounds."
    )

    @Flag(help: "A tenth of the sizes: a hint in some seconds, no proof.") var quick = false
    @Option(help: "Only the parts whose name contains the text.") var filter = ""
    @Flag(help: "End with status 1 if a bound is broken.") var check = false

    func run() async throws {
        let sizes = quick ? Sizes.quick : .whole
        tell("\(Machine.description), load \(Machine.load)\n\n" + Figure.tableHead)
        var broken = 0
        let parts = [
            ("observer", ObservedJob.measure), ("events", WatchedServer.measure),
            ("submissions", Submissions.measure), ("listeners", StoppedListeners.measure),
            ("viewers", Viewers.measure), ("durability", DurableSubmissions.measure),
            ("table", LongTable.measure),
        ]
        for (name, measure) in parts where filter.isEmpty || name.contains(filter) {
            for figure in try await measure(sizes) {
                tell(figure.tableRow)
                if !figure.holds { broken += 1 }
            }
        }
        tell("\nLoad at the end: \(Machine.load)")
        if check, broken > 0 { throw ExitCode(1) }
    }
}

/// Prints a line without delay, even into a file.
private func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// The amounts of work that are measured.
struct Sizes: Sendable {
    /// The number of tasks of the observed job.
    let tasks: Int
    /// How often it runs in each variant.
    let rounds: Int
    /// The number of submitted jobs.
    let jobs: Int
    /// The number of jobs in each half of a round whose ends are timed.
    let timedJobs: Int
    /// The number of runs in the long table.
    let runs: Int

    static let whole = Sizes(tasks: 100_000, rounds: 7, jobs: 10_000, timedJobs: 100, runs: 500_000)
    static let quick = Sizes(tasks: 10_000, rounds: 3, jobs: 1_000, timedJobs: 20, runs: 50_000)
}

/// The machine of the measurements.
enum Machine {
    static var description: String {
        "\(ProcessInfo.processInfo.activeProcessorCount) cores"
    }

    /// The average number of runnable processes in the last minute.
    static var load: String {
        var loads = [0.0]
        return getloadavg(&loads, 1) == 1 ? Figure.text(loads[0]) : "unknown"
    }
}
