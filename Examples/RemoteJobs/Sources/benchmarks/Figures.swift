import ArgumentParser
import Foundation
import JobKit
import RemoteJobs

/// Measures the figures and checks their bounds.
struct Figures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Measure tasks a second, processor time and memory, in one run."
    )

    @OptionGroup var options: BrokerOptions

    @Option(help: "How many tasks the shorter job of the memory's figure has.")
    var count = 12_000

    @Option(help: "The broker's process number, if it runs here: its processor time is measured.")
    var brokerProcess: Int32?

    /// How often tasks and the bare loop are measured.
    private var rounds: Int { 5 }

    func run() async throws {
        let brokers = try BrokerAddress.parse(options.broker[0])
        var bounds = Bounds()
        try await measureFlight(brokers)

        let worker = try Process.benchmarks(["worker", "--broker", options.broker[0]])
        defer { worker.terminate() }
        let others = (
            Usage(process: worker.processIdentifier), brokerProcess.map { Usage(process: $0) }
        )
        // Measured in turn, so that other load on the machine affects both equally.
        var (pipelines, bares, bareCosts): ([Rate], [Double], [Double]) = ([], [], [])
        for _ in 0..<rounds {
            pipelines.append(try await Rate.measure(count, unconfirmed: 1_000, brokers, others))
            let before = Usage.own.processorMicroseconds
            bares.append(try await BarePublishing.rate(of: count * 2, brokers[0]))
            let used = Usage.own.processorMicroseconds - before
            bareCosts.append(Double(used) / Double(count * 2))
        }
        let pipelined = pipelines.sorted { $0.rate < $1.rate }[rounds / 2]
        let bare = bares.sorted()[rounds / 2]
        let bareCost = bareCosts.sorted()[rounds / 2]
        let single = try await Rate.measure(count / 10, unconfirmed: 1, brokers, others)
        print("tasks a second, pipelined, the middle of \(rounds): \(Int(pipelined.rate))")
        print("tasks a second, one confirm at a time: \(Int(single.rate))")
        print("publishes a second, bare loop, the middle of \(rounds): \(Int(bare))")
        bounds.check("pipelined against one at a time", pipelined.rate / single.rate, atLeast: 4)
        bounds.check("pipelined against a bare loop", pipelined.rate / bare, atLeast: 0.35)
        // Busy cores make both more expensive.
        let cost = pipelines.map(\.controller).sorted()[rounds / 2]
        print("controller, µs a task: \(Int(cost)); bare loop, µs a publish: \(Int(bareCost))")
        bounds.check("controller against the bare loop", cost / bareCost, atMost: 12)
        print("worker, µs a task: \(Int(pipelined.worker))")
        if let broker = pipelined.broker { print("broker, µs a task: \(Int(broker))") }

        let few = try peak(of: count, most: 2_000)
        let many = try peak(of: count * 5, most: 2_000)
        print("peak of a job of \(count) tasks: \(few) KiB, of \(count * 5): \(many) KiB")
        bounds.check("growth of memory", Double(many) / Double(few), atMost: 1.2)

        let start = ContinuousClock.now
        _ = try peak(of: 100_000, most: 20_000)
        print("100,000 tasks: \(start.duration(to: .now).components.seconds) s")
        guard bounds.allHold else { throw ExitCode(1) }
    }

    /// Measures the memory of a task that waits at the broker, without workers.
    private func measureFlight(_ brokers: [BrokerAddress]) async throws {
        let session = RemoteSession(job: "figures-\(getpid())", brokers: brokers)
        try await session.open()
        let before = Usage.own.residentKiB
        let place = "nobody-\(getpid())"
        let job = TrialJob(count, atATime: count, in: session, at: place) { _ in Trial.Input() }
        let running = Task { try await job.run() }
        while session.counts.published < count { try await Task.sleep(for: .milliseconds(20)) }
        let used = Double(Usage.own.residentKiB - before) / Double(count)
        print("KiB a task in flight: \((used * 10).rounded() / 10)")
        job.cancel()
        _ = await running.result
        try await session.close(removingJob: true)
    }

    /// The peak memory of a job's controller that keeps the given number of tasks tracked.
    private func peak(of count: Int, most: Int) throws -> Int {
        let output = Pipe()
        let process = try Process.benchmarks(
            [
                "fan-out", "--broker", options.broker[0], "--count", "\(count)",
                "--most", "\(most)", "--remove",
            ],
            output: output
        )
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard text.contains("callbacks \(count) failed 0 "), text.contains("end succeeded"),
            let place = words.firstIndex(of: "peak"), let peak = Int(words[place + 1])
        else { throw ValidationError("The job of \(count) tasks went wrong: \(text)") }
        return peak
    }
}
