import Foundation
import XCTest

/// The result of running the command on a terminal.
struct TerminalRun {
    let status: Int32
    let reason: Process.TerminationReason
    /// The terminal's content: standard error, and standard output if it is shown too.
    let screen: String
    /// The standard output in the file.
    let output: [UInt8]

    /// Runs the command with a terminal for standard error.
    ///
    /// - Parameters:
    ///   - arguments: The command's arguments.
    ///   - type: The value of `TERM`, or nil for no such variable.
    ///   - showsOutput: Whether standard output is the terminal too.
    ///   - isTime: Receives the screen's content. It returns true when ^C must be sent. Nil for no
    ///     ^C.
    /// - Returns: The output and the exit status.
    /// - Throws: The error if it could not be run.
    static func run(
        _ arguments: [String],
        type: String? = "xterm",
        showsOutput: Bool = false,
        interruptWhen isTime: ((String) -> Bool)? = nil
    ) async throws -> TerminalRun {
        let folder = try TemporaryFolder()
        let path = String(decoding: folder.makeFile("output", "").bytes, as: UTF8.self)
        let terminal = Pseudoterminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandRun.command)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "TERM" }
            .merging(type.map { ["TERM": $0] } ?? [:]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput =
            showsOutput ? terminal.terminal : FileHandle(forWritingAtPath: path)
        process.standardError = terminal.terminal
        var screen = ""
        try await process.runToEnd {
            try terminal.terminal.close()
            if let isTime {
                screen += terminal.read(until: isTime)
                process.interrupt()
            }
            screen += terminal.read()
        }
        return TerminalRun(
            status: process.terminationStatus,
            reason: process.terminationReason,
            screen: screen,
            output: Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        )
    }
}
