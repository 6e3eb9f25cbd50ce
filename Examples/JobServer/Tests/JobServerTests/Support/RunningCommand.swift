import Foundation

/// A process with its lines on standard error.
///
/// It is killed when this object is released.
final class RunningCommand: @unchecked Sendable {
    // @unchecked: `condition` guards the variables, and one thread at a time uses Foundation's
    // process.
    private let process = Process()
    private let condition = NSCondition()
    private var text = ""
    private var isTextWhole = false
    private var isEnded = false

    /// Starts a program.
    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        process.terminationHandler = { [weak self] _ in self?.change { $0.isEnded = true } }
        try process.run()
        let reader = errors.fileHandleForReading
        Thread { [weak self] in
            var bytes = Data()
            while case let more = reader.availableData, !more.isEmpty {
                bytes += more
                let text = String(decoding: bytes, as: UTF8.self)
                self?.change { $0.text = text }
            }
            self?.change { $0.isTextWhole = true }
        }
        .start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var id: Int32 { process.processIdentifier }
    var hasEnded: Bool { condition.withLock { isEnded } }
    /// The text written so far.
    ///
    /// It is complete once the process has ended.
    var messages: String { condition.withLock { text } }

    /// Waits for a complete line that contains a text.
    func wait(for words: String) throws -> String {
        try wait("a line with \(words)") {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.contains(words) }) { return String(line) }
            guard !isTextWhole else { throw NotInTime(description: "It has ended: \(text)") }
            return nil
        }
    }

    /// Waits for the end.
    ///
    /// - Returns: The status, or -1 after a signal.
    func waitForEnd() throws -> Int32 {
        try wait("the end of the process") { isEnded && isTextWhole ? true : nil }
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    @discardableResult
    private func wait<Value>(_ what: String, until look: () throws -> Value?) throws -> Value {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date.now.addingTimeInterval(300)
        while true {
            if let value = try look() { return value }
            guard condition.wait(until: deadline) else {
                throw NotInTime(description: "Not in time: \(what); \(text)")
            }
        }
    }

    private func change(_ body: (RunningCommand) -> Void) {
        condition.withLock {
            body(self)
            condition.broadcast()
        }
    }
}
