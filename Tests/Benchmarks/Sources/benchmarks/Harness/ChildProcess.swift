import Foundation

/// Measures memory in a fresh copy of this program, so that rounds do not disturb its heap.
enum ChildProcess {
    /// Returns the probe's measurement.
    ///
    /// Traps if the child process failed.
    static func measure(_ probe: MemoryProbe, size: Int) -> Double {
        let text = output(of: ["probe", probe.rawValue, "--size", String(size)])
        guard let value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            fatalError("the probe \(probe.rawValue) ended without a figure: \(text)")
        }
        return value
    }

    /// Measures in a child process how long a journal takes to open.
    ///
    /// The child prints the result on one line.
    static func opening(of steps: Int, in folder: URL) -> (seconds: Double, bytes: Double) {
        opening("opening", of: steps, in: folder)
    }

    /// Measures in a child process how long an outbox takes to open, and its bytes.
    static func outbox(of entries: Int, in folder: URL) -> (seconds: Double, bytes: Double) {
        opening("outbox", of: entries, in: folder)
    }

    private static func opening(
        _ part: String,
        of steps: Int,
        in folder: URL
    ) -> (seconds: Double, bytes: Double) {
        let text = output(
            of: ["journal", "--only", part, "--steps", "\(steps)", "--folder", folder.path]
        )
        let figures = text.split(separator: " ").compactMap { Double($0) }
        guard figures.count == 2 else {
            fatalError("an opening ended without its figures: \(text)")
        }
        return (figures[0], figures[1])
    }

    private static func output(of arguments: [String]) -> String {
        guard let program = Bundle.main.executableURL else {
            fatalError("the benchmark program does not know where it lies")
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        do {
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let text = String(decoding: data, as: UTF8.self)
            guard process.terminationStatus == 0 else {
                fatalError("\(arguments) failed: \(text)")
            }
            return text
        } catch {
            fatalError("\(arguments) did not start: \(error)")
        }
    }
}
