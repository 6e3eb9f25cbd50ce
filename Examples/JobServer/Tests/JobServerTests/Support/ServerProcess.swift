import Foundation
import XCTest

/// The real command on a free port, with a database of its own.
final class ServerProcess {
    let port: Int
    private let process: Process
    private let ended: DispatchSemaphore
    private let log: String
    // The database must not go before the server.
    private let folder: TestFolder

    /// The built command, beside the tests.
    static var command: String {
        let tests = ProcessInfo.processInfo.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "job-server").path
    }

    /// Starts the server and returns when it serves.
    init(in folder: TestFolder, _ arguments: [String] = []) throws {
        self.folder = folder
        let portFile = folder.path + "/port"
        log = folder.path + "/log"
        // One that was killed has left its own.
        unlink(portFile)
        (process, ended) = try Self.start(
            ["--port", "0", "--port-file", portFile, "--data", folder.data] + arguments,
            log: log
        )
        do {
            port = try Self.port(in: portFile, of: process, log)
        } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }

    /// The port that a server writes when it serves.
    private static func port(in file: String, of process: Process, _ log: String) throws -> Int {
        var found: Int?
        try waitUntil("the server serves") {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            found = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
            return found != nil || !process.isRunning
        }
        return try XCTUnwrap(found, "The server ended: \(text(of: log))")
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// What was written to standard error.
    var messages: String { Self.text(of: log) }
    var processID: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end of the process.
    @discardableResult
    func end(within seconds: Double = 300) throws -> Int32 {
        try Self.wait(for: ended, seconds)
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    /// Runs the command until it ends by itself.
    static func run(_ arguments: [String], in folder: TestFolder) throws -> (Int32, String) {
        let log = folder.path + "/log-\(UUID().uuidString)"
        let (process, ended) = try start(arguments, log: log)
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        try wait(for: ended, 300)
        return (process.terminationStatus, text(of: log))
    }

    /// Waits for a process's end, which may be waited for again.
    private static func wait(for ended: DispatchSemaphore, _ seconds: Double) throws {
        guard ended.wait(timeout: .now() + seconds) == .success else {
            throw NotInTime(description: "Not in time: the command has ended")
        }
        ended.signal()
    }

    /// Starts the command; the semaphore is signalled at its end.
    private static func start(
        _ arguments: [String],
        log: String
    ) throws -> (Process, DispatchSemaphore) {
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(filePath: log))
        try handle.seekToEnd()
        let process = Process()
        process.executableURL = URL(filePath: command)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        return (process, ended)
    }

    private static func text(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
