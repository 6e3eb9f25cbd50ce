import Foundation
import Synchronization
import XCTest

/// A named pipe to which a test's workers write a line for each run.
final class RunLines: Sendable {
    private struct State {
        var unfinished: [UInt8] = []
        var lines: [String] = []
        var waiters: [(count: Int, XCTestExpectation)] = []
    }

    let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("remote-jobs-\(UUID().uuidString).log").path
    private let pipe: FileHandle
    private let state = Mutex(State())

    init() {
        mkfifo(path, 0o600)
        // Opened for reading and writing, so that it does not end while no worker has it open.
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        pipe = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        pipe.readabilityHandler = { [weak self] _ in self?.read() }
    }

    deinit {
        pipe.readabilityHandler = nil
        try? FileManager.default.removeItem(atPath: path)
    }

    /// All lines so far.
    var lines: [String] {
        read()
        return state.withLock { $0.lines }
    }

    /// The number of starts of each task.
    var runs: [String: Int] {
        lines.filter { !$0.hasPrefix("cancelled ") }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Waits for a number of lines, with a timeout.
    func wait(for count: Int, file: StaticString = #filePath, line: UInt = #line) async {
        let areThere = XCTestExpectation(description: "\(count) lines")
        state.withLock { $0.waiters.append((count, areThere)) }
        read()
        let result = await XCTWaiter.fulfillment(of: [areThere], timeout: 300)
        XCTAssertEqual(result, .completed, "no \(count) lines", file: file, line: line)
    }

    private func read() {
        let reached = state.withLock { state in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while case let count = Foundation.read(pipe.fileDescriptor, &bytes, bytes.count),
                count > 0
            {
                for byte in bytes[..<count] {
                    guard byte == UInt8(ascii: "\n") else {
                        state.unfinished.append(byte)
                        continue
                    }
                    state.lines.append(String(decoding: state.unfinished, as: UTF8.self))
                    state.unfinished = []
                }
            }
            let count = state.lines.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }.map(\.1)
        }
        for waiter in reached { waiter.fulfill() }
    }
}
