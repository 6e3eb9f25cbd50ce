import ArgumentParser
import Foundation
import JobObservability
import JobService
import Logging
import ServiceLifecycle

/// Where the process starts and ends.
@main
enum EntryPoint {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let command: JobServerCommand
        do {
            command = try JobServerCommand.parse()
        } catch {
            end(with: error)
        }
        do {
            let configuration = try command.serviceConfiguration()
            let kinds = try command.kinds()
            LoggingSystem.bootstrap { LineLogHandler(label: $0) }
            let service = JobService(configuration: configuration, kinds: kinds)
            try await Signals().run(service)
            exit(0)
        } catch let error as StartUpError {
            fail(error.status, error.description)
        } catch {
            fail(70, "\(error)")
        }
    }

    /// Prints help, or one line that says what is wrong with the arguments.
    private static func end(with error: any Error) -> Never {
        let status = JobServerCommand.exitCode(for: error).rawValue
        guard status != 0 else { JobServerCommand.exit(withError: error) }
        fail(64, JobServerCommand.message(for: error))
    }

    private static func fail(_ status: Int32, _ message: String) -> Never {
        let line = LogText.oneLine(message)
        FileHandle.standardError.write(Data("job-server: \(line)\n".utf8))
        exit(status)
    }
}
