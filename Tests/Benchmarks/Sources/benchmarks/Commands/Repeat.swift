import ArgumentParser

/// Repeats one variant, for profilers and for counting allocations.
struct Repeat: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run one variant alone, for a profiler or an allocation counter."
    )

    @Argument(help: "The workload's whole name.")
    var workload: String

    @Argument(help: "The variant's whole name.")
    var variant: String

    @Option(help: "How many tasks each run has (default: the workload's size).")
    var size: Int?

    @Option(help: "How often the variant runs.")
    var times = 1

    func run() throws {
        let workloads = Catalogue(sizes: .full).workloads
        guard let workload = workloads.first(where: { $0.name == workload }) else {
            throw ValidationError("no workload is named so; --list shows them")
        }
        guard let variant = workload.variants.first(where: { $0.name == variant }) else {
            throw ValidationError("the workload has no such variant; --list shows them")
        }
        for _ in 0..<times {
            for reading in variant.run(size ?? workload.size) {
                print(reading.figure.rawValue, reading.figure.text(reading.value))
            }
        }
    }
}
