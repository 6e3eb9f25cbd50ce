import ArgumentParser
import FindDuplicates
import Foundation
import Logging
import RemoteDuplicates
import RemoteJobs

/// The command `duplicates-worker`: lists and hashes one host's files for jobs elsewhere.
@main
struct DuplicatesWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates-worker",
        abstract: "List and hash the files of a folder for find-duplicates-on-hosts.",
        discussion: """
            Runs until SIGTERM or ^C. It then takes no more tasks, finishes those that run and \
            returns the others. If the broker is lost, it tries to connect again.

            Exit status: 0 ended by a signal. 64 wrong usage. 66 the folder does not exist. 69 there \
            is no broker, or it refuses the password.
            """
    )

    @Option(
        help: ArgumentHelp(
            "amqp[s]://USER:PASSWORD@HOST:PORT[,HOST:PORT...][/VHOST], once for each broker.",
            valueName: "url"
        )
    )
    var broker: [String]

    @Option(help: ArgumentHelp("The name of this host in jobs.", valueName: "name"))
    var host: String

    @Option(
        help: ArgumentHelp("The folder whose files jobs may read.", valueName: "folder"),
        completion: .directory
    )
    var folder: String

    @Option(help: ArgumentHelp("How many tasks run at a time.", valueName: "n"))
    var width = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: ArgumentHelp("How many tasks of a kind are held at a time.", valueName: "n"))
    var prefetch: Int?

    @Option(
        help: ArgumentHelp(
            "How long hashing the largest file takes, compared with consumer_timeout at the start.",
            valueName: "seconds"
        )
    )
    var longestTask: Int?

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
        guard Name(host).isValid else {
            throw ValidationError("--host must have 1 to 100 bytes.")
        }
        guard width >= 1 else { throw ValidationError("--width must be at least 1.") }
        guard 1...65_535 ~= prefetch ?? 1 else {
            throw ValidationError("--prefetch must be from 1 to 65535.")
        }
        guard longestTask ?? 1 >= 1 else {
            throw ValidationError("--longest-task must be at least 1.")
        }
    }

    /// Takes tasks until a signal arrives.
    ///
    /// - Throws: The exit status, unless it is 0.
    func run() async throws {
        LoggingSystem.bootstrap { _ in StandardErrorLog(command: "duplicates-worker") }
        let shared = SharedFolder(BytePath(folder))
        guard shared.exists else {
            throw failure("\(folder): no such folder", EX_NOINPUT)
        }
        let worker = RemoteWorker(
            name: host,
            brokers: try broker.map(BrokerAddress.parse),
            width: width,
            prefetch: prefetch,
            longestTask: longestTask.map { .seconds($0) }
        )
        worker.registerDuplicates(of: shared, host: host)
        let running = Task { try await worker.run() }
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler { running.cancel() }
        interrupt.resume()
        defer { interrupt.cancel() }
        do {
            try await running.value
        } catch {
            throw failure("\(error)", EX_UNAVAILABLE)
        }
    }

    private func failure(_ message: String, _ status: Int32) -> ExitCode {
        FileHandle.standardError.write(Data("duplicates-worker: \(message)\n".utf8))
        return ExitCode(status)
    }
}
