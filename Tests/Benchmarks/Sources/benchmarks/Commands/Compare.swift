import ArgumentParser
import Foundation

/// Measures the workloads in interleaved rounds, and writes the tables.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the variants of each workload in turns (the default)."
    )

    @Option(help: "Measure only the workloads whose name contains this.")
    var filter: String?

    @Flag(help: "Smaller sizes and fewer rounds, for a first look.")
    var quick = false

    @Option(help: "How many rounds each has (default: 1 to 21, by its length; quick: up to 3).")
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
        guard document == nil || filter == nil && !quick else {
            throw ValidationError("--document needs a whole run: no --filter, no --quick")
        }
        guard rounds ?? 1 >= 1 else { throw ValidationError("--rounds must be at least 1") }
        guard !workloads.isEmpty else { throw ValidationError("no workload has such a name") }
    }

    func run() throws {
        guard !list else {
            for workload in workloads { print(Self.description(of: workload)) }
            return
        }
        print(MachineDescription.text)
        let start = ContinuousClock.now
        let observations = measure()
        let bounds = CostBounds.all(sizes)
            .filter { bound in
                workloads.contains { $0.name == bound.subject.workload }
            }
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

    private var sizes: Sizes { quick ? .quick : .full }

    private var workloads: [Workload] {
        Catalogue(sizes: sizes).workloads
            .filter { workload in
                filter.map { workload.name.localizedCaseInsensitiveContains($0) } ?? true
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
