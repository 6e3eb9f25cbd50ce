import Foundation
import XCTest

/// What a run of the command on a terminal has come to.
struct TerminalRun {
    let status: Int32
    let reason: Process.TerminationReason
    /// What the terminal was given on standard error, and on standard output if it went there too.
    let screen: String
    /// What a file was given on standard output.
    let output: [UInt8]

    /// Runs the command with a terminal for standard error.
    ///
    /// - Parameters:
    ///   - arguments: The command's.
    ///   - type: What `TERM` says; nil for no such variable.
    ///   - showsOutput: Whether standard output is the terminal too.
    ///   - isTime: Told what is on the screen; true when it is time for ^C, nil for none.
    /// - Returns: What was shown and written, and how the command ended.
    /// - Throws: Why it could not be run.
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
