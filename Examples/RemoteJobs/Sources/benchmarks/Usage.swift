import Foundation

/// The resources that a process has used, as reported by Linux.
struct Usage {
    /// The process.
    let process: String

    static let own = Usage(process: "self")

    init(process: String) {
        self.process = process
    }

    init(process: Int32) {
        self.process = String(process)
    }

    /// Processor time, in steps of ten milliseconds.
    var processorMicroseconds: Int {
        // The name may contain spaces and ends at the last parenthesis.
        let fields = text("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            return 0
        }
        return (user + system) * (1_000_000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    var residentKiB: Int { line("VmRSS:") }
    var peakKiB: Int { line("VmHWM:") }

    private func line(_ name: String) -> Int {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private func text(_ file: String) -> String {
        (try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)) ?? ""
    }
}
