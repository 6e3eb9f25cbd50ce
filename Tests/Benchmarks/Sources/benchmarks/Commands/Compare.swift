import ArgumentParser
import Foundation

/// Measures the workloads in interleaved rounds, and writes the tables.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the variants of each workload in turns (the default)."
    )

    @Option(help: "Measure only the workloads whose name contains this.")
    var filter: String?

    @Option(help: "Measure only what the bounds whose row contains this need, and judge those.")
    var only: String?

    @Flag(help: "Smaller sizes and fewer rounds, for a first look.")
    var quick = false

    @Option(help: "How many rounds each has (default: 1 to 27, by its length; quick: up to 3).")
    var rounds: Int?

    @Flag(help: "List the workloads and their variants, and measure nothing.")
    var list = false

    @Flag(help: "End with status 1 if a bound is broken or was not measured.")
    var check = false

    @Flag(help: "Write the tables as Markdown.")
    var markdown = false

    @Option(help: "Write all summaries to this file, as comma-separated values.")
    var csv: String?

    @Option(help: "Draw cost against n into this file, as SVG.")
    var plot: String?

    @Option(
        help: "Write the tables and the plot into the documents of the repository at this path."
    )
    var document: String?

    func validate() throws {
        guard document == nil || filter == nil && only == nil && !quick else {
            throw ValidationError("--document needs a whole run: no --filter, --only or --quick")
        }
        guard rounds ?? 1 >= 1 else { throw ValidationError("--rounds must be at least 1") }
        guard !workloads.isEmpty else { throw ValidationError("nothing has such a name") }
    }

    func run() throws {
        guard !list else {
            for workload in workloads { print(Self.description(of: workload)) }
            return
        }
        print(MachineDescription.text)
        let start = ContinuousClock.now
        var observations = measure()
        let bounds = bounds
        measureUndecided(bounds, into: &observations)
        if !bounds.isEmpty {
            write(BoundTable.table(of: bounds, in: observations))
            print(BoundTable.summary(of: bounds, in: observations))
        }
        if quick { print("The bounds are stated for the full sizes; --quick only gives a hint.\n") }
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        print("measured for \(NumberText.fixed(seconds, places: 0)) s; " + MachineDescription.text)
        try export(observations)
        let verdicts = bounds.map { Verdict($0, in: observations) }
        guard check, verdicts.contains(where: { $0 == .broken || $0 == .notMeasured }) else {
            return
        }
        throw ExitCode(1)
    }

    /// The number of repeats of a row if its bound is between its quartiles.
    private static let furtherRuns = 2

    private var sizes: Sizes { quick ? .quick : .full }

    private var workloads: [Workload] {
        Catalogue(sizes: sizes).workloads
            .filter { workload in
                filter.map { workload.name.localizedCaseInsensitiveContains($0) } ?? true
            }
            .filter { workload in
                only == nil || rows.contains { $0.subject.isOf(workload) }
            }
    }

    /// The bounds on the measured series.
    private var bounds: [Bound] {
        let workloads = workloads
        return rows.filter { bound in workloads.contains { bound.subject.isOf($0) } }
    }

    private var rows: [Bound] {
        CostBounds.all(sizes)
            .filter { bound in
                only.map { bound.work.localizedCaseInsensitiveContains($0) } ?? true
            }
    }

    /// Repeats rows that the quartiles leave undecided, unless a number of rounds was requested.
    private func measureUndecided(_ bounds: [Bound], into observations: inout Observations) {
        guard rounds == nil, !quick else { return }
        for _ in 0..<Self.furtherRuns {
            let undecided = bounds.filter { $0.isUndecided(in: observations) }
            let again = workloads.filter { workload in
                undecided.contains { $0.subject.isOf(workload) }
            }
            for workload in again {
                print("not decided, run again: \(workload.name)")
                Rounds().measure(workload, into: &observations)
            }
        }
    }

    private func measure() -> Observations {
        var observations = Observations()
        let turns = Rounds(count: rounds, maximum: rounds == nil && quick ? 3 : .max)
        for workload in workloads {
            let duration = ContinuousClock()
                .measure { turns.measure(workload, into: &observations) }
            write(WorkloadTable.table(of: workload, in: observations, measuredFor: duration))
        }
        return observations
    }

    private func write(_ table: Table) {
        print(markdown ? table.markdown : table.text)
        fflush(nil)
    }

    private func export(_ observations: Observations) throws {
        if let csv {
            let text = CommaSeparatedValues.text(of: workloads, in: observations)
            try text.write(toFile: csv, atomically: true, encoding: .utf8)
        }
        if let document, let scaling = SerialPart.model(size: 50_000, rounds: 5) {
            let repository = URL(filePath: document, directoryHint: .isDirectory)
            try DocumentTable.write(into: repository, observations, sizes, scaling)
        }
        guard let plot else { return }
        let drawing = CostPlot(workloads: workloads, observations: observations)
        try drawing.svg.write(toFile: plot, atomically: true, encoding: .utf8)
    }

    private static func description(of workload: Workload) -> String {
        let title = "\(workload.name), n = \(NumberText.grouped(workload.size))"
        return ([title] + workload.variants.map { "    " + $0.name }).joined(separator: "\n")
    }
}
