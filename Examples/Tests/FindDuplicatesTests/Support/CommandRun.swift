import FindDuplicates
import Foundation
import XCTest

/// The result of running the command.
struct CommandRun {
    let status: Int32
    let output: [UInt8]
    let messages: [UInt8]

    var messageText: String { String(decoding: messages, as: UTF8.self) }

    /// The command from this package's build, in the folder of the tests.
    static var command: String {
        let tests = ProcessInfo.processInfo.arguments[0]
        return URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("find-duplicates").path
    }

    /// The paths of a report with NUL bytes, group by group.
    var groups: [[BytePath]] {
        var groups: [[BytePath]] = [[]]
        for line in output.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
            if line.isEmpty {
                groups.append([])
            } else {
                groups[groups.count - 1].append(BytePath(bytes: Array(line)))
            }
        }
        return groups.filter { !$0.isEmpty }
    }

    /// The report in JSON.
    func json() throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(output))
        return try XCTUnwrap(object as? [String: Any])
    }

    /// Runs the command and waits for its end.
    static func run(_ arguments: String...) async throws -> CommandRun {
        try await run(command, arguments)
    }

    /// Runs a shell script whose `$0` is the command.
    static func script(_ script: String, _ arguments: String...) async throws -> CommandRun {
        try await run("/bin/bash", ["-c", script, command] + arguments)
    }

    /// Runs a program and waits for its end.
    static func run(_ program: String, _ arguments: [String]) async throws -> CommandRun {
        let folder = try TemporaryFolder()
        let names = ["output", "messages"].map { folder.makeFile($0, "") }
        let handles = names.compactMap {
            FileHandle(forWritingAtPath: String(decoding: $0.bytes, as: UTF8.self))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        try await process.runToEnd()
        let texts = try names.map {
            try Data(contentsOf: URL(fileURLWithPath: String(decoding: $0.bytes, as: UTF8.self)))
        }
        return CommandRun(
            status: process.terminationStatus,
            output: Array(texts[0]),
            messages: Array(texts[1])
        )
    }
}

/// A process has not ended in time.
private struct NotInTime: Error {}

extension Process {
    /// Runs the process and waits for its end with a timeout.
    ///
    /// - Parameter whileRunning: Called while the process is running.
    /// - Throws: The error if it cannot be run or has not ended, or the error of `whileRunning`.
    func runToEnd(whileRunning: () async throws -> Void = {}) async throws {
        let ended = XCTestExpectation(description: "the process has ended")
        terminationHandler = { _ in ended.fulfill() }
        try runWithNoSignalBlocked()
        try await whileRunning()
        let result = await XCTWaiter.fulfillment(of: [ended], timeout: 300)
        guard result == .completed else {
            // It has no status yet, and reading the status would end the tests.
            kill(processIdentifier, SIGKILL)
            throw NotInTime()
        }
    }

    /// Starts the process with default signal handling.
    ///
    /// A child inherits the signals that its parent's thread blocks, and Dispatch threads block
    /// nearly all. It also inherits the ignored signals. The tests may be a background command of a
    /// shell, which ignores SIGINT and SIGQUIT.
    private func runWithNoSignalBlocked() throws {
        let actions = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_DFL)) }
        defer { for (number, action) in actions { signal(number, action) } }
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
