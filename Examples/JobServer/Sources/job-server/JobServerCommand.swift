import ArgumentParser
import Foundation
import JobObservability
import JobService
import JobStore
import Logging
import RemoteJobs

/// The command line of job-server.
struct JobServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job-server",
        abstract: "Runs jobs that are submitted over HTTP, and shows them on a page.",
        discussion: """
            job-server backup FILE [--data DATA] copies the database, job-server check [--data DATA] \
            checks it; both also while a server uses it.
            """,
        version: JobService.version
    )

    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port. 0 chooses a free one.") var port = 8_080
    @Option(help: "A file for the port, written when requests are served.") var portFile: String?
    @Option(help: "The database.") var data = "job-server.sqlite"
    @Option(help: "A folder that jobs may read. May be repeated.") var allow: [String] = []
    @Option(help: "A name by which clients address this server. May be repeated.")
    var allowHost: [String] = []
    @Option(help: "How many jobs run at a time.") var jobs = 4
    @Option(
        help:
            "How many of their tasks run at a time, divided evenly. The default is the number of cores."
    )
    var width = ProcessInfo.processInfo.activeProcessorCount
    @Option(help: "How many runs may be queued.") var queueLimit = 1_000
    @Option(help: "How many seconds runs may continue at a shutdown.") var grace = 5.0
    @Option(help: "A file with the token that clients need.") var tokenFile: String?
    @Option(help: "How many days a run is kept after its end.") var keepDays = 30
    @Flag(help: "Repeat runs that a crash has ended, if their kind permits it.") var resume = false
    @Option(help: "The broker of searches of hosts, amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT...].")
    var broker: String?
    @Option(help: "How many seconds a run may take. By default, there is no limit.")
    var timeLimit: Double?
    @Option(help: "How many seconds a cancelled run may take to stop before it is abandoned.")
    var giveUp = 30.0
    @Option(help: "How many starts of a run may end with the process before it is not resumed.")
    var attempts = 5
    @Flag(
        inversion: .prefixedNo,
        help: "Offer the kind steps, to try things out. The default on loopback."
    )
    var samples: Bool?
    @Option(help: "The failure that an accepted submission survives: power-loss or crash.")
    var durability = Durability.powerLoss

    /// Converts the options to a configuration.
    ///
    /// - Throws: `StartUpError` if a value is invalid.
    func serviceConfiguration() throws(StartUpError) -> JobServiceConfiguration {
        guard grace.isFinite, (0...86_400).contains(grace) else {
            throw StartUpError(64, "The grace must be from 0 to 86400 seconds.")
        }
        if let timeLimit {
            guard timeLimit.isFinite, timeLimit >= 0.001, timeLimit <= 31_536_000 else {
                throw StartUpError(64, "The time limit must be from 0.001 to 31536000 seconds.")
            }
        }
        guard giveUp.isFinite, (0...86_400).contains(giveUp) else {
            throw StartUpError(64, "The time to give up must be from 0 to 86400 seconds.")
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
        configuration.tokens =
            try tokenFile.map { path throws(StartUpError) in
                try Self.tokens(path)
            } ?? []
        configuration.timeLimit = timeLimit.map { .milliseconds(Int64($0 * 1_000)) }
        configuration.giveUp = .milliseconds(Int64(giveUp * 1_000))
        configuration.attempts = attempts
        configuration.durability = durability
        configuration.keepDays = keepDays
        configuration.resumes = resume
        return configuration
    }

    /// The kinds of job that the server runs.
    ///
    /// - Parameter isLoopback: Whether only this host can connect. In this case, there are samples
    ///   by default.
    /// - Returns: The kinds, in the order of the form.
    /// - Throws: `StartUpError` if the broker's URL is invalid.
    func kinds(isLoopback: Bool) throws(StartUpError) -> [any JobKind] {
        var kinds: [any JobKind] = [FindDuplicatesKind()]
        if let broker {
            do {
                let brokers = try BrokerAddress.parse(broker)
                kinds.append(FindDuplicatesOnHostsKind(brokers: brokers))
            } catch {
                throw StartUpError(64, "\(error)")
            }
        }
        if samples ?? isLoopback { kinds.append(StepsKind()) }
        return kinds
    }

    private static func tokens(_ path: String) throws(StartUpError) -> [AccessToken] {
        var status = stat()
        guard stat(path, &status) == 0, let bytes = FileManager.default.contents(atPath: path)
        else { throw StartUpError(74, "The token file \(path) cannot be read.") }
        guard status.st_mode & 0o044 == 0 else {
            throw StartUpError(64, "Others may read the token file \(path): chmod 600 it.")
        }
        do {
            return try AccessToken.tokens(in: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw StartUpError(64, "The token file \(path): \(error.description)")
        }
    }
}

extension Durability: ExpressibleByArgument {}
