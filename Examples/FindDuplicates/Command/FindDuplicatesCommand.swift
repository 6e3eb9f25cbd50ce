import ArgumentParser
import FindDuplicates
import Foundation
import JobKit

/// The command `find-duplicates`: reads its arguments, runs the job and writes what it found.
struct FindDuplicatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-duplicates",
        abstract: "Find files of equal content in folders and the folders below them.",
        discussion: """
            Regular files are compared, by SHA-256; empty ones are not. Symbolic links are not \
            followed, unless they are named here. Hard links to one file are one file. A file that \
            vanishes meanwhile is left out.

            Standard output has a path a line, and an empty line between two groups. Paths are \
            written as their bytes are. With --json it has one object instead:

              {"groups":[{"size":N,"paths":["..."]}],"scannedFiles":N,"hashedBytes":N}

            JSON is UTF-8. In a path that is not, U+FFFD stands for what is wrong; its group then \
            has "pathsBase64" too, the exact bytes of all its paths in the same order, and the \
            object has "pathEncoding", which says so. An interrupted search adds \
            "incomplete":true.

            Exit status: 0 done; 1 something could not be read and is named on standard error; \
            64 wrong usage; 66 a folder does not exist; 73 the timeline's file cannot be made; \
            74 the output could not be written; 130 interrupted by ^C, with what was found until \
            then.
            """
    )

    @Argument(
        help: ArgumentHelp("A folder to search.", valueName: "folder"),
        completion: .directory
    )
    var folders: [FolderArgument]

    @Flag(help: "Write one JSON object.")
    var json = false

    @Flag(help: "Write a 0 byte in place of each line break.")
    var print0 = false

    @Option(help: ArgumentHelp("Leave out smaller files.", valueName: "bytes"))
    var minSize: Int64 = 1

    @Option(help: ArgumentHelp("How many tasks work at a time.", valueName: "n"))
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

    @Flag(help: "Show no progress, even if standard error is a terminal.")
    var noProgress = false

    /// Refuses arguments that each could be right, but have no meaning.
    ///
    /// - Throws: What is wrong.
    func validate() throws {
        if json && print0 { throw ValidationError("--json and --print0 exclude each other.") }
        if minSize < 0 { throw ValidationError("--min-size must not be negative.") }
        if width < 1 { throw ValidationError("--width must be at least 1.") }
    }

    /// Searches the folders and writes what was found.
    ///
    /// - Throws: The exit status, unless it is 0.
    func run() async throws {
        let missing = folders.compactMap { folder in
            folder.problem.map { folder.path.printableBytes + Array(": \($0)".utf8) }
        }
        missing.forEach(ErrorOutput.write)
        guard missing.isEmpty else { throw ExitCode(EX_NOINPUT) }
        let timelineDescriptor = try timeline?.open()

        // Writing to a pipe that nobody reads is to fail, not to end the process.
        signal(SIGPIPE, SIG_IGN)
        let display = noProgress ? nil : ProgressDisplay()
        let job = FindDuplicatesJob(
            folders: folders.map(\.path),
            minimumSize: minSize,
            width: width,
            progress: display?.update
        )
        let recorder = TimelineRecorder()
        if timeline != nil {
            let names = folders.map { String(decoding: $0.path.bytes, as: UTF8.self) }
            job.name = "find-duplicates \(names.joined(separator: " "))"
            job.addObserver(recorder)
        }
        let interruption = Interruption(
            first: { job.cancel() },
            second: { display?.clear() }
        )
        do {
            try await job.run()
        } catch is CancellationError {
            // The report says that it is incomplete.
        }
        display?.clear()
        interruption.stopWatching()
        let result = Result { try write(job.report, interruptedBy: interruption.signal) }
        if let timeline, let timelineDescriptor {
            try timeline.write(recorder.timeline, to: timelineDescriptor)
        }
        try result.get()
    }

    private func write(_ report: DuplicateReport, interruptedBy signal: Int32?) throws {
        for problem in report.problems {
            ErrorOutput.write(problem.path.printableBytes + Array(": \(problem.reason)".utf8))
        }
        if !report.isComplete {
            ErrorOutput.write("interrupted; what was found so far is incomplete")
        }
        let format: ReportFormat = json ? .json : print0 ? .print0 : .plain
        var output = BufferedOutput(descriptor: STDOUT_FILENO)
        do {
            try format.write(report) { try output.write($0) }
            try output.flush()
        } catch BufferedOutput.Failure.failed(let reason) {
            ErrorOutput.write("standard output: \(reason)")
            throw ExitCode(EX_IOERR)
        } catch {
            // The reader has seen enough.
        }
        if !report.isComplete { throw ExitCode(128 + (signal ?? SIGINT)) }
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}
