import Foundation
import XCTest

/// A run of a program from this package's build.
final class ProgramRun: Sendable {
    struct End {
        let status: Int32
        let output: String
        let messages: String
    }

    private let process: Process
    private let files: [String]
    private let ended = XCTestExpectation(description: "the program has ended")

    /// Starts a program from the folder of the tests.
    convenience init(_ name: String, _ arguments: [String]) throws {
        let tests = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
        let folder = tests.deletingLastPathComponent()
        try self.init(at: folder.appendingPathComponent(name), arguments)
    }

    /// Starts a program.
    init(at program: URL, _ arguments: [String]) throws {
        process = Process()
        process.executableURL = program
        process.arguments = arguments
        files = (0..<2)
            .map { _ in
                let name = "remote-jobs-\(UUID().uuidString).txt"
                return FileManager.default.temporaryDirectory.appendingPathComponent(name).path
            }
        for file in files { try Data().write(to: URL(fileURLWithPath: file)) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: files[0])
        process.standardError = FileHandle(forWritingAtPath: files[1])
        process.terminationHandler = { [ended] _ in ended.fulfill() }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for file in files { try? FileManager.default.removeItem(atPath: file) }
    }

    var isRunning: Bool { process.isRunning }

    /// Its output on standard error so far.
    var messages: String { (try? String(contentsOfFile: files[1], encoding: .utf8)) ?? "" }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits for the end with a timeout and ignores the result.
    func ended(within seconds: Double) async {
        _ = await XCTWaiter.fulfillment(of: [ended], timeout: seconds)
    }

    /// Waits for the end with a timeout.
    func end(within seconds: Double = 300) async throws -> End {
        let result = await XCTWaiter.fulfillment(of: [ended], timeout: seconds)
        if result != .completed { send(SIGKILL) }
        XCTAssertEqual(result, .completed, "The program has not ended in time")
        let texts = files.map { (try? String(contentsOfFile: $0, encoding: .utf8)) ?? "" }
        return End(status: process.terminationStatus, output: texts[0], messages: texts[1])
    }
}

/// Waits until an external condition holds, with a timeout.
///
/// It polls, because a broker sends no notifications about its queues.
func waitUntil(
    within seconds: Double = 300,
    _ what: String,
    file: StaticString = #filePath,
    line: UInt = #line,
    _ isSo: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        guard ContinuousClock.now < deadline else {
            return XCTFail("not within \(seconds) s: \(what)", file: file, line: line)
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
