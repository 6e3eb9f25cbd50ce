import Foundation
import XCTest

/// The real command on a free port with a separate database.
final class ServerProcess: Sendable {
    let port: Int
    private let process: RunningCommand
    // The database must not be removed before the server has ended.
    private let folder: TestFolder

    /// The built command, in the folder of the tests.
    static var command: String {
        let tests = ProcessInfo.processInfo.arguments[0]
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "job-server").path
    }

    /// Starts the server and returns when it is serving.
    init(in folder: TestFolder, _ arguments: [String] = [], data: String? = nil) throws {
        self.folder = folder
        process = try RunningCommand(
            Self.command,
            ["--port", "0", "--data", data ?? folder.data] + arguments
        )
        let line = try process.wait(for: " Listening ")
        let url = try XCTUnwrap(line.split(separator: " ").first { $0.hasPrefix("url=http://") })
        let authority = try XCTUnwrap(url.split(separator: "/").last)
        port = try XCTUnwrap(Int(authority.split(separator: ":").last ?? ""), line)
    }

    /// The text written to standard error so far.
    ///
    /// It is complete once the process has ended.
    var messages: String { process.messages }
    var processID: Int32 { process.id }
    var isRunning: Bool { !process.hasEnded }

    func signal(_ number: Int32) { kill(process.id, number) }

    /// Waits for the end of the process.
    @discardableResult
    func end() throws -> Int32 { try process.waitForEnd() }

    /// Runs the command until it ends by itself.
    static func run(_ arguments: [String]) throws -> (Int32, String) {
        let process = try RunningCommand(command, arguments)
        return (try process.waitForEnd(), process.messages)
    }
}
