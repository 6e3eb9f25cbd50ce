import ArgumentParser
import FindDuplicates
import Foundation
import JobKit

/// The command `find-duplicates`: parses its arguments, runs the job and writes the result.
struct FindDuplicatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-duplicates",
        abstract: "Find files of equal content in folders and the folders below them.",
        discussion: """
            Regular files are compared byte by byte, except empty ones. Symbolic links are not \
            followed, unless they are named here. Hard links to one file count as one file. A file \
            that vanishes during the search is left out.

            Standard output has one path per line, and an empty line between two groups. Paths are \
            written byte for byte; on a terminal, control characters are escaped. With --json there \
            is one object instead:

              {"groups":[{"size":N,"paths":["..."]}],"scannedFiles":N,"hashedBytes":N}

            JSON is UTF-8. In a path that is not, U+FFFD replaces the invalid bytes. Its group then \
            has "pathsBase64", the exact bytes of all its paths in the same order, and the object \
            has "pathEncoding", which says so. An interrupted search adds "incomplete":true.

            Exit status: 0 done; 1 something could not be read and is named on standard error; \
            64 wrong usage; 66 a folder or file that is named here does not exist; 71 the system \
            allows too few threads or open files; 73 the timeline's file cannot be created; 74 the \
            output could not be written. After ^C the command writes what was found so far and dies \
            of that signal, which shells report as 130.
            """,
        version: "1.0.0"
    )

    @Argument(
        help: ArgumentHelp("A folder to search, or a file to compare.", valueName: "path"),
        completion: .file()
    )
    var folders: [FolderArgument]

    @Flag(help: "Write one JSON object.")
    var json = false

    @Flag(help: "Write a 0 byte instead of each line break.")
    var print0 = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Leave out smaller files: in bytes, or as 10K or 2M", valueName: "size"),
        transform: FileSize.parse
    )
    var minSize: Int64 = 1

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many tasks work at a time.", valueName: "n")
    )
    var width = ProcessInfo.processInfo.activeProcessorCount

    @Option(
        help: ArgumentHelp(
            "Write what ran when; its name ends with .json (for Perfetto), .svg, .mmd or .txt.",
            valueName: "file"
        ),
        completion: .file(extensions: TimelineForm.allCases.map(\.rawValue)),
        transform: TimelineFile.init(argument:)
    )
    var timeline: TimelineFile?

    @Flag(help: "Show no progress and no last line, even if standard error is a terminal.")
    var noProgress = false

    /// Rejects invalid combinations of valid arguments.
    ///
    /// - Throws: A description of the problem.
    func validate() throws {
        if json && print0 { throw ValidationError("--json and --print0 exclude each other.") }
        if width < 1 { throw ValidationError("--width must be at least 1.") }
    }

    /// Searches the folders and writes the result.
    ///
    /// - Throws: The exit status, unless it is 0.
    func run() async throws {
        let missing = folders.compactMap { folder in
            folder.problem.map { folder.shown + Array(": \($0)".utf8) }
        }
        missing.forEach(ErrorOutput.write)
        guard missing.isEmpty else { throw ExitCode(EX_NOINPUT) }
        let timelineDescriptor = try timeline?.open()
        let display = noProgress ? nil : ProgressDisplay()
        let job = FindDuplicatesJob(
            folders: folders.map(\.path),
            minimumSize: minSize,
            width: width,
            stage: display?.show
        )
        let recorder = TimelineRecorder()
        if timeline != nil {
            let names = folders.map { String(decoding: $0.path.bytes, as: UTF8.self) }
            job.name = "find-duplicates \(names.joined(separator: " "))"
            job.addObserver(recorder)
        }
        let interruption = try Interruption.shared.get()
        interruption.watch(stop: { job.cancel() }, giveUp: { display?.abandon() })
        display?.begin(job.progress)
        do {
            try await job.run()
        } catch is CancellationError {
            // The report contains a mark that it is incomplete.
        }
        interruption.jobStopped()
        display?.end()
        let result = Result { try write(job.report, summing: display != nil) }
        if let timeline, let timelineDescriptor {
            try timeline.write(recorder.timeline, to: timelineDescriptor)
        }
        interruption.dieIfInterrupted()
        try result.get()
    }

    private func write(_ report: DuplicateReport, summing: Bool) throws {
        for problem in report.problems {
            ErrorOutput.write(problem.path.printableBytes + Array(": \(problem.reason)".utf8))
        }
        if !report.isComplete {
            ErrorOutput.write("interrupted; what was found so far is incomplete")
        }
        var output = BufferedOutput(descriptor: STDOUT_FILENO)
        do {
            try format.write(report) { try output.write($0) }
            try output.flush()
        } catch BufferedOutput.Failure.failed(let reason) {
            ErrorOutput.write("standard output: \(reason)")
            throw ExitCode(EX_IOERR)
        } catch {
            // The reader has closed the pipe, which is not an error.
        }
        if summing { ErrorOutput.write(SummaryLine.text(of: report)) }
        if !report.problems.isEmpty { throw ExitCode(1) }
    }

    private var format: ReportFormat {
        if json { return .json }
        if print0 { return .print0 }
        return isatty(STDOUT_FILENO) == 1 ? .terminal : .plain
    }
}
