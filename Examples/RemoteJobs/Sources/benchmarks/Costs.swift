import ArgumentParser
import Foundation
import RemoteJobs

/// Measures the costs that `simulate` reads.
struct Costs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "costs",
        abstract: "Measure what a task costs at each part of its way, for simulate.",
        discussion: """
            Tasks that come together share messages, acknowledgements and wakings. So each cost is \
            measured twice: with a thousand tasks unconfirmed at a time, and with one. What the \
            broker's deliveries cost is what is left of a whole task after its parts.
            """
    )

    @OptionGroup var options: BrokerOptions

    @Option(help: "The broker's process number; it runs here.")
    var brokerProcess: Int32

    @Option(help: "How many tasks come together; half as many come alone.")
    var count = 12_000

    @Option(help: "How many jobs are made and removed.")
    var jobs = 40

    @Option(help: "The file for the costs.")
    var output: String

    func run() async throws {
        let brokers = try BrokerAddress.parse(options.broker[0])
        let worker = try Process.benchmarks(["worker", "--broker", options.broker[0]])
        defer { worker.terminate() }
        let broker = Usage(process: brokerProcess)
        let others = (worker: Usage(process: worker.processIdentifier), broker: Optional(broker))
        // The first job warms everything up.
        _ = try await Rate.measure(count / 4, unconfirmed: 1_000, brokers, others)
        var costs: [String: TaskCosts] = [:]
        for (name, unconfirmed, count) in [("together", 1_000, count), ("alone", 1, count / 2)] {
            let task = try await Rate.measure(count, unconfirmed: unconfirmed, brokers, others)
            let queue = try await bare(count * 2, unconfirmed, .queue, brokers[0], broker)
            let stream = try await bare(count * 2, unconfirmed, .stream, brokers[0], broker)
            // With collected outcomes, a message contains up to 64.
            let append = unconfirmed > 1 ? stream.broker / 64 : stream.broker
            costs[name] = TaskCosts(
                publish: queue.own,
                settle: max(0, task.controller - queue.own),
                enqueue: queue.broker,
                deliver: max(0, (task.broker ?? 0) - queue.broker - append),
                append: stream.broker,
                worker: task.worker,
                job: 0
            )
            print(
                """
                \(name): \(Int(task.rate)) tasks a second; µs a task: controller \
                \(Int(task.controller)), worker \(Int(task.worker)), broker \
                \(Int(task.broker ?? 0)); µs a bare message: publisher \(Int(queue.own)), broker \
                \(Int(queue.broker)) into a queue, \(Int(stream.broker)) into a stream
                """
            )
        }
        let job = try await jobCost(brokers, broker, others)
        for name in costs.keys { costs[name]?.job = job }
        print("µs of the broker for a job of one task: \(Int(job))")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(costs).write(to: URL(fileURLWithPath: output))
    }

    /// Microseconds of this process and the broker for one message of the bare loop.
    private func bare(
        _ count: Int,
        _ unconfirmed: Int,
        _ target: BarePublishing.Target,
        _ address: BrokerAddress,
        _ broker: Usage
    ) async throws -> (own: Double, broker: Double) {
        let before = (Usage.own.processorMicroseconds, broker.processorMicroseconds)
        _ = try await BarePublishing.rate(
            of: count,
            unconfirmed: unconfirmed,
            into: target,
            address
        )
        return (
            Double(Usage.own.processorMicroseconds - before.0) / Double(count),
            Double(broker.processorMicroseconds - before.1) / Double(count)
        )
    }

    private func jobCost(
        _ brokers: [BrokerAddress],
        _ broker: Usage,
        _ others: (worker: Usage, broker: Usage?)
    ) async throws -> Double {
        let before = broker.processorMicroseconds
        for _ in 0..<jobs { _ = try await Rate.measure(1, unconfirmed: 1, brokers, others) }
        return Double(broker.processorMicroseconds - before) / Double(jobs)
    }
}
