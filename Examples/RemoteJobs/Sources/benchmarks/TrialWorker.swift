import ArgumentParser
import Foundation
import RemoteJobs

/// A worker for trials.
struct TrialWorker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Run trials until SIGTERM."
    )

    @OptionGroup var options: BrokerOptions

    @Option(help: "The worker's name.")
    var name = "w\(getpid())"

    @Option(help: "How many tasks run at a time.")
    var width = 8

    @Option(help: "How many tasks are held at a time.")
    var prefetch = 256

    @Option(help: "The place whose trials it takes; those of no place unless given.")
    var place: String?

    @Option(help: "A file to which each run adds the task's key.")
    var log: String?

    func run() async throws {
        let file = log.flatMap(RunFile.init)
        let worker = RemoteWorker(
            name: name,
            brokers: try options.all(),
            width: width,
            prefetch: prefetch
        )
        worker.register(Trial.self, at: place) { input, context in
            TrialOperation(input, context, file)
        }
        try await worker.run()
    }
}
