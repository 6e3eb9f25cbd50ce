import ArgumentParser
import Foundation
import JobObservability
import JobService
import Logging
import RemoteJobs
import ServiceLifecycle

/// The command line of job-server.
struct JobServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job-server",
        abstract: "Runs jobs that are submitted over HTTP, and shows them on a page."
    )

    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port; 0 for a free one.") var port = 8_080
    @Option(help: "A file for the port, written when requests are served.") var portFile: String?
    @Option(help: "The database.") var data = "job-server.sqlite"
    @Option(help: "A folder that jobs may read; may be repeated.") var allow: [String] = []
    @Option(help: "A name that leads to this server; may be repeated.") var allowHost: [String] = []
    @Option(help: "How many jobs run at a time.") var jobs = 4
    @Option(help: "How many of their tasks run at a time; the number of cores by default.")
    var width = ProcessInfo.processInfo.activeProcessorCount
    @Option(help: "How many runs may be queued.") var queueLimit = 1_000
    @Option(help: "How many seconds runs may go on at a shutdown.") var grace = 5.0
    @Option(help: "A file with the token that clients need.") var tokenFile: String?
    @Option(help: "How many days a run is kept after its end.") var keepDays = 30
    @Flag(help: "Repeat runs that a crash has ended, if their kind may be.") var resume = false
    @Option(help: "The broker of searches of hosts, amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT...].")
    var broker: String?

    /// The options as a configuration.
    ///
    /// - Throws: `StartUpError` if a value cannot be used.
    func serviceConfiguration() throws(StartUpError) -> JobServiceConfiguration {
        guard grace.isFinite, (0...86_400).contains(grace) else {
            throw StartUpError(64, "The grace must be from 0 to 86400 seconds.")
        }
        var configuration = JobServiceConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.portFile = portFile
        configuration.data = data
        configuration.allowedFolders = allow
        configuration.allowedHosts = allowHost
        configuration.jobs = jobs
        configuration.width = width
        configuration.queueLimit = queueLimit
        configuration.grace = .milliseconds(Int64(grace * 1_000))
        configuration.token = try tokenFile.map { path throws(StartUpError) in try Self.token(path)
        }
        configuration.keepDays = keepDays
        configuration.resumes = resume
        return configuration
    }

    /// The kinds of job that the server runs.
    ///
    /// - Throws: `StartUpError` if the broker's URL is none.
    func kinds() throws(StartUpError) -> [any JobKind] {
        guard let broker else { return [FindDuplicatesKind(), StepsKind()] }
        do {
            let brokers = try BrokerAddress.parse(broker)
            return [FindDuplicatesKind(), FindDuplicatesOnHostsKind(brokers: brokers), StepsKind()]
        } catch {
            throw StartUpError(64, "\(error)")
        }
    }

    private static func token(_ path: String) throws(StartUpError) -> String {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw StartUpError(74, "The token file \(path) cannot be read.")
        }
        let token = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else {
            throw StartUpError(64, "The token file \(path) is empty.")
        }
        return token
    }
}
