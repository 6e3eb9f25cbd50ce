import Foundation

/// Runs a memory probe in a fresh copy of this program, so that rounds do not disturb its heap.
enum ChildProcess {
    /// What the probe measured; traps if the child did not end well.
    static func measure(_ probe: MemoryProbe, size: Int) -> Double {
        guard let program = Bundle.main.executableURL else {
            fatalError("the benchmark program does not know where it lies")
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["probe", probe.rawValue, "--size", String(size)]
        process.standardOutput = output
        do {
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let text = String(decoding: data, as: UTF8.self)
            guard
                process.terminationStatus == 0,
                let value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
            else { fatalError("the probe \(probe.rawValue) ended without a figure: \(text)") }
            return value
        } catch {
            fatalError("the probe \(probe.rawValue) did not start: \(error)")
        }
    }
}
