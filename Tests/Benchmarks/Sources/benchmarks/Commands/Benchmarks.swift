import ArgumentParser

/// Compares all workloads unless a subcommand is given.
@main
struct Benchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measures JobKit beside OperationQueue, task groups and bare operations.",
        subcommands: [
            Compare.self, Cores.self, Locks.self, Journal.self, Scaling.self, Repeat.self,
            Probe.self, FanOutRounds.self, Counted.self,
        ],
        defaultSubcommand: Compare.self
    )
}
