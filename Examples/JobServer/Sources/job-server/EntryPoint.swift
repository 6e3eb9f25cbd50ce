import ArgumentParser
import Foundation
import JobObservability
import JobService
import JobStore
import Logging

/// The entry point of the process.
@main
enum EntryPoint {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "backup": try copy(BackupCommand.parse(Array(arguments.dropFirst())))
            case "check": try check(CheckCommand.parse(Array(arguments.dropFirst())))
            default: try await serve(JobServerCommand.parse(arguments))
            }
            exit(0)
        } catch let error as StartUpError {
            fail(error.status, error.description)
        } catch let error as JobStoreError {
            fail(74, error.description)
        } catch let error where JobServerCommand.exitCode(for: error) == .success {
            // Help was requested.
            JobServerCommand.exit(withError: error)
        } catch {
            fail(64, JobServerCommand.message(for: error))
        }
    }

    private static func serve(_ command: JobServerCommand) async throws {
        let configuration = try command.serviceConfiguration()
        let kinds = try command.kinds(isLoopback: configuration.isLoopback)
        LoggingSystem.bootstrap { LineLogHandler(label: $0) }
        do {
            try await JobService(configuration: configuration, kinds: kinds).run()
        } catch let error as StartUpError {
            throw error
        } catch {
            fail(70, "\(error)")
        }
    }

    private static func copy(_ command: BackupCommand) throws {
        try JobStore.backUp(command.data, to: command.file)
    }

    private static func check(_ command: CheckCommand) throws {
        let problems = try JobStore.check(command.data)
        guard let first = problems.first else {
            print("ok")
            return
        }
        let more = problems.count > 1 ? " and \(problems.count - 1) more" : ""
        throw StartUpError(74, "The database \(command.data) is damaged: \(first)\(more).")
    }

    private static func fail(_ status: Int32, _ message: String) -> Never {
        let line = LogText.oneLine(message)
        FileHandle.standardError.write(Data("job-server: \(line)\n".utf8))
        exit(status)
    }
}
