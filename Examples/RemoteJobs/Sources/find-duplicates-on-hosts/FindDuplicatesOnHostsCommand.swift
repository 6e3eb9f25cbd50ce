import ArgumentParser
import FindDuplicates
import Foundation
import JobKit
import Logging
import RemoteDuplicates
import RemoteJobs

/// The command `find-duplicates-on-hosts`: runs the job and writes the result.
@main
struct FindDuplicatesOnHostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-duplicates-on-hosts",
        abstract: "Find files of equal content on several hosts.",
        discussion: """
            A duplicates-worker with the name of the host runs on each host. The files stay there, \
            and names, sizes and SHA-256 digests travel.

            Standard output has the form of find-duplicates: one path on each line and an empty \
            line between two groups, or a JSON object. A path is written HOST:PATH. If the command \
            has died, the same --job continues the search.

            Exit status: 0 done. 1 something could not be read and is named on standard error. \
            64 wrong usage. 69 the broker cannot be reached, was lost, or refuses the password. \
            73 the file of the timeline cannot be created. 74 the output could not be written. \
            75 the job is running elsewhere. 130 interrupted by ^C, with the groups found until then.
            """
    )

    @Option(
        help: ArgumentHelp(
            "amqp[s]://USER:PASSWORD@HOST:PORT[,HOST:PORT...][/VHOST], once for each broker.",
            valueName: "url"
        )
    )
    var broker: [String]

    @Option(help: ArgumentHelp("The id of the job. The same id continues it.", valueName: "id"))
    var job: String

    @Option(help: ArgumentHelp("The hosts, as their workers name them.", valueName: "h1,h2,..."))
    var hosts: String

    @Flag(help: "Write one JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The file for the timeline. It ends with .json (for Perfetto), .svg, .mmd or .txt.",
            valueName: "file"
        ),
        completion: .file(extensions: TimelineOutput.Form.allCases.map(\.rawValue)),
        transform: TimelineOutput.init(argument:)
    )
    var timeline: TimelineOutput?

    @Flag(help: "Remove the job at its end. A later run with its id then begins again.")
    var remove = false

    @Flag(help: "Show no progress, even if standard error is a terminal.")
    var noProgress = false

    @Option(
        help: ArgumentHelp("How long a connection to a lost broker is tried.", valueName: "seconds")
    )
    var patience = 200.0

    /// Rejects invalid arguments.
    ///
    /// - Throws: A description of the problem.
    func validate() throws {
        do {
            for url in broker { _ = try BrokerAddress.parse(url) }
        } catch {
            throw ValidationError("\(error)")
        }
        guard !broker.isEmpty else { throw ValidationError("--broker is missing.") }
        guard Name(job).isValid else {
            throw ValidationError("--job must have 1 to 100 bytes.")
        }
        guard hostNames.allSatisfy(\.isValid) else {
            throw ValidationError("--hosts must be names of 1 to 100 bytes, with commas between.")
        }
        guard Set(hostNames).count == hostNames.count else {
            throw ValidationError("--hosts names a host twice.")
        }
        guard patience > 0, patience < 1e9 else {
            throw ValidationError("--patience must be above 0.")
        }
    }

    private var hostNames: [Name] {
        hosts.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { Name(Substring($0)) }
    }

    /// Searches the hosts and writes the result.
    ///
    /// - Throws: The exit status, unless it is 0.
    func run() async throws {
        LoggingSystem.bootstrap { _ in StandardErrorLog(command: "find-duplicates-on-hosts") }
        let timelineDescriptor = try timeline?.open()
        // Writing to a pipe without a reader must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let session = RemoteSession(
            job: job,
            brokers: try broker.map(BrokerAddress.parse),
            options: .init(patience: .milliseconds(Int64(patience * 1_000)))
        )
        let search = FindDuplicatesOnHostsJob(hosts: hostNames.map(\.text), in: session)
        search.name = "find-duplicates-on-hosts \(hosts)"
        let recorder = TimelineRecorder()
        if timeline != nil { search.addObserver(recorder) }
        let interruption = Interruption()
        do {
            try await session.open()
        } catch let error as JobRunningError {
            throw Output.failure("\(error)", EX_TEMPFAIL)
        } catch {
            throw Output.failure("\(error)", EX_UNAVAILABLE)
        }
        interruption.began(search)
        let display = noProgress ? nil : ProgressDisplay(of: search)
        let end = await Result.catching { try await search.run() }
        display?.clear()
        if case .failure(let error) = end, !(error is CancellationError) {
            try? await session.close(removingJob: remove)
            throw Output.failure("\(error)", EX_UNAVAILABLE)
        }
        let closing = await Result.catching { try await session.close(removingJob: remove) }
        let result = Result { try write(search.report, interruptedBy: interruption.signal) }
        if let timeline, let timelineDescriptor {
            try timeline.write(recorder.timeline, to: timelineDescriptor)
        }
        try result.get()
        if case .failure(let error) = closing { throw Output.failure("\(error)", EX_UNAVAILABLE) }
    }

    private func write(_ report: DuplicateReport, interruptedBy signal: Int32?) throws {
        for problem in report.problems {
            let path = String(decoding: problem.path.bytes, as: UTF8.self)
            Output.message("\(Output.printable(path)): \(problem.reason)")
        }
        if !report.isComplete { Output.message("interrupted; what was found is incomplete") }
        var bytes: [UInt8] = []
        let format: ReportFormat = json ? .json : .plain
        try format.write(report) { piece in
            bytes += piece
            guard bytes.count > 64 * 1_024 else { return }
            try Output.write(bytes, to: STDOUT_FILENO, named: "standard output")
            bytes = []
        }
        try Output.write(bytes, to: STDOUT_FILENO, named: "standard output")
        if !report.isComplete { throw ExitCode(128 + (signal ?? SIGINT)) }
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}

extension Result where Failure == any Error {
    /// Converts the result of an asynchronous closure.
    static func catching(_ body: () async throws -> Success) async -> Result {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
