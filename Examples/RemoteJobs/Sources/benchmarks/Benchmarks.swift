import ArgumentParser

/// The command `benchmarks`: measures the package, and has a worker and a job to try it with.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measure RemoteJobs against a running broker, or try it out.",
        subcommands: [Figures.self, TrialWorker.self, TrialFanOut.self],
        defaultSubcommand: Figures.self
    )
}

/// What all commands need.
struct BrokerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT...]", valueName: "url"))
    var broker: String
}
