import FindDuplicates
import Foundation

/// The entry point of the program.
@main
enum EntryPoint {
    /// Prepares the process and passes the arguments to the command with all their bytes.
    static func main() {
        StandardStreams.open()
        // In a debug build, Swift's runtime treats ^\ as a crash and then continues.
        if !Interruption.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
        // Writing to a pipe without a reader must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        do throws(SystemError) {
            // No other thread exists at this point, so that all later threads block the signals
            // too.
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

    /// Ends the process if its resource limits are too low.
    ///
    /// The scheduler and Swift's own pool each need one thread per core. If the system does not
    /// start one of them, they wait forever.
    ///
    /// - Throws: The system's error if it starts no threads.
    private static func checkLimits() throws(SystemError) {
        if let problem = OpenFileLimit.current.problem {
            ErrorOutput.write(problem)
            exit(EX_OSERR)
        }
        try Threads.probe(2 * ProcessInfo.processInfo.activeProcessorCount + 2)
    }
}
