import ArgumentParser
import Foundation
import JobKit
import RemoteJobs

/// Measures, and says of each bound whether it holds.
struct Figures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Measure tasks a second, processor time and memory, in one run."
    )

    @OptionGroup var options: BrokerOptions

    @Option(help: "How many tasks the shorter job of the memory's figure has.")
    var count = 12_000

    func run() async throws {
        let brokers = try BrokerAddress.parse(options.broker)
        let worker = try startWorker()
        defer { worker.terminate() }
        var bounds = Bounds()

        let pipelined = try await rate(of: count, most: 20_000, unconfirmed: 1_000, brokers)
        let single = try await rate(of: count / 10, most: 1, unconfirmed: 1, brokers)
        let bare = try await BarePublishing.rate(of: count * 2, brokers[0])
        print("tasks a second, pipelined: \(Int(pipelined.rate))")
        print("tasks a second, one at a time: \(Int(single.rate))")
        print("publishes a second, bare loop: \(Int(bare))")
        bounds.check("pipelined against one at a time", pipelined.rate / single.rate, atLeast: 4)
        bounds.check("pipelined against a bare loop", pipelined.rate / bare, atLeast: 0.35)
        bounds.check("controller, µs a task", pipelined.microseconds, atMost: 60)

        // Both keep 2,000 tracked; what is left behind must not grow with the number of tasks.
        _ = try await rate(of: count, most: 2_000, unconfirmed: 1_000, brokers)
        let few = Usage.residentKiB
        _ = try await rate(of: count * 5, most: 2_000, unconfirmed: 1_000, brokers)
        let many = Usage.residentKiB
        print("resident after \(count) tasks: \(few) KiB, after \(count * 5): \(many) KiB")
        bounds.check("growth of memory", Double(many) / Double(few), atMost: 1.2)
        guard bounds.allHold else { throw ExitCode(1) }
    }

    /// Starts a worker as a process of its own, so that its time is not the controller's.
    private func startWorker() throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["worker", "--broker", options.broker]
        try process.run()
        return process
    }

    private func rate(
        of count: Int,
        most: Int,
        unconfirmed: Int,
        _ brokers: [BrokerAddress]
    ) async throws -> (rate: Double, microseconds: Double) {
        let session = RemoteSession(
            job: "figures-\(getpid())",
            brokers: brokers,
            options: .init(unconfirmed: unconfirmed)
        )
        try await session.open()
        let job = TrialJob(count, atATime: most, in: session) { _ in Trial.Input() }
        let (start, time) = (ContinuousClock.now, Usage.processorMicroseconds)
        try await job.run()
        let used = Usage.processorMicroseconds - time
        let seconds = Double(start.duration(to: .now) / .microseconds(1)) / 1_000_000
        precondition(job.callbackCount == count && job.failures.isEmpty)
        await session.close(removingJob: true)
        return (Double(count) / seconds, Double(used) / Double(count))
    }
}

/// Bounds, and whether they hold.
private struct Bounds {
    private(set) var allHold = true

    mutating func check(_ name: String, _ value: Double, atLeast bound: Double) {
        say(name, value, value >= bound, "at least \(bound)")
    }

    mutating func check(_ name: String, _ value: Double, atMost bound: Double) {
        say(name, value, value <= bound, "at most \(bound)")
    }

    private mutating func say(_ name: String, _ value: Double, _ holds: Bool, _ bound: String) {
        allHold = allHold && holds
        let rounded = (value * 100).rounded() / 100
        print("\(name): \(rounded), \(bound): \(holds ? "holds" : "DOES NOT HOLD")")
    }
}

/// What the process has used.
private enum Usage {
    static var processorMicroseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000
    }

    static var residentKiB: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
