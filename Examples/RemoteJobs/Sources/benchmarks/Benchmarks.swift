import ArgumentParser
import RemoteJobs

/// The command `benchmarks`: measures the package, and offers a worker and a job for trials.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measure RemoteJobs against a running broker, or try it out.",
        subcommands: [
            Figures.self, Spread.self, Fairness.self, Costs.self, Simulate.self,
            TrialWorker.self, TrialFanOut.self,
        ],
        defaultSubcommand: Figures.self
    )
}

/// The options that all commands need.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT...]; once for each independent broker.",
            valueName: "url"
        )
    )
    var broker: [String]

    /// The brokers, each with its nodes.
    func all() throws -> [[BrokerAddress]] { try broker.map(BrokerAddress.parse) }
}
