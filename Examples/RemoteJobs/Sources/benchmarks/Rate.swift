import Foundation
import JobKit
import RemoteJobs

/// How fast one job's tasks went through one worker, and what each cost.
struct Rate {
    /// Tasks a second.
    let rate: Double
    /// Processor time in microseconds a task.
    let controller: Double
    let worker: Double
    /// Nil for a broker whose process is not known.
    let broker: Double?

    /// Runs a job of tasks without work.
    ///
    /// - Parameters:
    ///   - count: How many tasks.
    ///   - unconfirmed: How many of them may be published and not confirmed.
    ///   - brokers: The broker's nodes.
    ///   - others: The processes of the worker and, if it runs here, of the broker.
    /// - Returns: Its rate and what its tasks cost.
    /// - Throws: What the session or the job fails with.
    static func measure(
        _ count: Int,
        unconfirmed: Int,
        _ brokers: [BrokerAddress],
        _ others: (worker: Usage, broker: Usage?)
    ) async throws -> Rate {
        // Each of its own name, so that no worker still deals with the one before.
        let session = RemoteSession(
            job: "figures-\(getpid())-\(UInt32.random(in: 0 ... .max))",
            brokers: brokers,
            options: .init(unconfirmed: unconfirmed)
        )
        try await session.open()
        let job = TrialJob(count, atATime: 20_000, in: session) { _ in Trial.Input() }
        let usages = [.own, others.worker] + (others.broker.map { [$0] } ?? [])
        let (start, before) = (ContinuousClock.now, usages.map(\.processorMicroseconds))
        try await job.run()
        let used = zip(usages, before)
            .map { Double($0.processorMicroseconds - $1) / Double(count) }
        let seconds = Double(start.duration(to: .now) / .microseconds(1)) / 1_000_000
        precondition(job.callbackCount == count && job.failures.isEmpty)
        try await session.close(removingJob: true)
        return Rate(
            rate: Double(count) / seconds,
            controller: used[0],
            worker: used[1],
            broker: used.count > 2 ? used[2] : nil
        )
    }
}

extension Process {
    /// Starts a command of this program as a process, whose time and memory are its own.
    static func benchmarks(_ arguments: [String], output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }
}
