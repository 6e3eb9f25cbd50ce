import FindDuplicates
import Foundation

/// Where the program begins.
@main
enum EntryPoint {
    /// Prepares the process and hands the arguments to the command, with all their bytes.
    static func main() {
        StandardStreams.open()
        // In a debug build Swift's runtime takes ^\ for a crash, and then goes on.
        if !Interruption.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
        // Writing to a pipe that nobody reads is to fail, not to end the process.
        signal(SIGPIPE, SIG_IGN)
        do throws(SystemError) {
            // Here no other thread exists, so that all that come block the signals too.
            let interruption = try Interruption.shared.get()
            try checkLimits()
            let arguments = arguments
            Task.detached {
                await FindDuplicatesCommand.main(arguments)
                exit(EXIT_SUCCESS)
            }
            interruption.waitForSignals()
        } catch {
            ErrorOutput.write("the system starts too few threads: \(error)")
            exit(EX_OSERR)
        }
    }

    private static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc)))
            .compactMap { number in
                CommandLine.unsafeArgv[number]
                    .map { argument in
                        let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
                        return ArgumentText.text(of: Array(bytes))
                    }
            }
    }

    /// Ends the process where it cannot work under the limits that it was given.
    ///
    /// The scheduler and Swift's own pool each take a thread a core. They would wait without an end for
    /// one that the system does not start.
    ///
    /// - Throws: The system's reason not to start threads.
    private static func checkLimits() throws(SystemError) {
        if let problem = OpenFileLimit.current.problem {
            ErrorOutput.write(problem)
            exit(EX_OSERR)
        }
        try Threads.probe(2 * ProcessInfo.processInfo.activeProcessorCount + 2)
    }
}
