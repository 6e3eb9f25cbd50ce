import ArgumentParser
import Foundation
import JobKit
import RemoteJobs

/// Measures many jobs at a time, on one broker and on all brokers, in turn.
struct Spread: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spread",
        abstract: "Measure the tasks a second of many jobs on one broker and on all."
    )

    @OptionGroup var options: BrokerOptions

    @Option(help: "How many jobs run at a time.")
    var jobs = 16

    @Option(help: "How many tasks all jobs have together.")
    var count = 24_000

    @Option(help: "How often each is measured.")
    var rounds = 3

    @Option(help: "A broker's process number, for each that runs here: processor time is measured.")
    var brokerProcess: [Int32] = []

    func run() async throws {
        let all = try options.all()
        // A worker serves all brokers that it gets, so each case needs its own worker.
        let cases = all.count > 1 ? [[all[0]], all] : [all]
        var rates = cases.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (number, brokers) in cases.enumerated() {
                rates[number].append(try await rate(on: brokers, options.broker))
            }
        }
        let middles = rates.map { $0.sorted()[rounds / 2] }
        for (brokers, middle) in zip(cases, middles) {
            print("\(jobs) jobs, \(brokers.count) brokers: \(Int(middle)) tasks a second")
        }
        guard middles.count > 1 else { return }
        var bounds = Bounds()
        bounds.check("two brokers against one", middles[1] / middles[0], atLeast: 1.6)
        guard bounds.allHold else { throw ExitCode(1) }
    }

    private func rate(on brokers: [[BrokerAddress]], _ urls: [String]) async throws -> Double {
        let worker = Process()
        worker.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        worker.arguments = ["worker"] + urls.prefix(brokers.count).flatMap { ["--broker", $0] }
        try worker.run()
        defer {
            worker.terminate()
            worker.waitUntilExit()
        }
        let sessions = (0..<jobs)
            .map { RemoteSession(job: "spread-\(getpid())-\($0)", brokers: brokers) }
        for session in sessions { try await session.open() }
        let each = count / jobs
        // Opening queues and finding workers is not measured.
        try await run(1, in: sessions, key: 0)
        let processes =
            [Usage.own, Usage(process: worker.processIdentifier)]
            + brokerProcess.map { Usage(process: $0) }
        let before = processes.map(\.processorMicroseconds)
        let start = ContinuousClock.now
        try await run(each, in: sessions, key: 1)
        let seconds = Double(start.duration(to: .now) / .microseconds(1)) / 1_000_000
        let used = zip(processes, before)
            .map { ($0.processorMicroseconds - $1) / (each * jobs) }
        print(
            "\(brokers.count) brokers: \(Int(Double(each * jobs) / seconds)) tasks a second;"
                + " µs a task of controller, worker and brokers: \(used)"
        )
        let closing = ContinuousClock.now
        for session in sessions { try await session.close(removingJob: true) }
        let removal = closing.duration(to: .now) / .milliseconds(1) / Double(jobs)
        print("removing a job: \(Int(removal)) ms")
        return Double(each * jobs) / seconds
    }

    private func run(_ each: Int, in sessions: [RemoteSession], key: Int) async throws {
        try await withThrowingTaskGroup { group in
            for session in sessions {
                group.addTask {
                    let job = TrialJob(each, atATime: 2_000, in: session, keys: "\(key)-") { _ in
                        Trial.Input()
                    }
                    try await job.run()
                    precondition(job.callbackCount == each && job.failures.isEmpty)
                }
            }
            try await group.waitForAll()
        }
    }
}
