import Foundation
import JobKit
import RemoteJobs

/// The rate and the costs of one job's tasks with one worker.
struct Rate {
    /// Tasks per second.
    let rate: Double
    /// Processor time per task in microseconds.
    let controller: Double
    let worker: Double
    /// Nil if the broker's process is unknown.
    let broker: Double?

    /// Runs a job of tasks without work.
    ///
    /// - Parameters:
    ///   - count: The number of tasks.
    ///   - unconfirmed: How many of them may be published without a confirm.
    ///   - brokers: The broker's nodes.
    ///   - others: The processes of the worker and, if it runs on this host, of the broker.
    /// - Returns: The rate and the costs of a task.
    /// - Throws: The error of the session or of the job.
    static func measure(
        _ count: Int,
        unconfirmed: Int,
        _ brokers: [BrokerAddress],
        _ others: (worker: Usage, broker: Usage?)
    ) async throws -> Rate {
        // A unique name, so that no worker is still busy with the previous job.
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
    /// Starts a command of this program in a separate process, to measure its time and memory.
    static func benchmarks(_ arguments: [String], output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }
}
