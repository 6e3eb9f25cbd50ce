import Foundation
import XCTest

/// A folder that is removed with the test.
final class TestFolder: Sendable {
    let path: String
    var data: String { path + "/data.sqlite" }

    init() throws {
        path = NSTemporaryDirectory() + "job-server-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        chmod(path + "/" + name, mode)
        return path + "/" + name
    }
}

/// A condition was not met in time.
struct NotInTime: Error, CustomStringConvertible {
    let description: String
}

/// Polls a condition with a timeout, if no event reports it.
func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
    let deadline = Date.now.addingTimeInterval(300)
    while try !condition() {
        guard Date.now < deadline else { throw NotInTime(description: "Not in time: \(what)") }
        usleep(10_000)
    }
}

/// A program that the tests need is not installed.
struct Missing: Error, CustomStringConvertible {
    let program: String

    var description: String { "\(program) is not installed." }
}
