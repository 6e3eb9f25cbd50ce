import ArgumentParser
import Foundation

/// Computes where tasks wait and how many brokers a rate needs.
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Compute, from measured costs, where many tasks of many jobs wait.",
        discussion: """
            Needs no broker. The costs come from a file that `benchmarks costs` has written. The \
            same options and seed print the same table.
            """
    )

    @Option(help: "The file with the costs.")
    var costs: String

    @Option(name: .customLong("case"), help: "Which costs: of tasks that come together or alone.")
    var which = "alone"

    @Option(parsing: .upToNextOption, help: "Tasks a second, one table row each.")
    var rates = [1_000.0, 2_500, 5_000, 10_000, 20_000]

    @Option(help: "Tasks a second for which brokers are counted.")
    var rate = 10_000.0

    @Option(help: "How many jobs run at a time.")
    var jobs = 1_000

    @Option(help: "How long a job lasts, in seconds.")
    var jobSeconds = 100.0

    @Option(help: "How many brokers the rows have.")
    var brokers = 1

    @Option(help: "How many cores a broker has.")
    var brokerCores = 2

    @Option(help: "How many event loops the controllers have, each with a core.")
    var controllers = 4

    @Option(help: "How many workers there are; as many as use half their width unless given.")
    var workers: Int?

    @Option(help: "How many tasks a worker runs at a time.")
    var width = 8

    @Option(help: "How long a task's work takes, in milliseconds.")
    var milliseconds = 10.0

    @Option(help: "How long a message is on its way, in milliseconds.")
    var hop = 0.1

    @Option(help: "How many queues a broker's workers can serve: a connection has 2,047 channels.")
    var queues = 1_900

    @Option(help: "The share of a broker's cores that may be used, up to 1.")
    var share = 0.6

    @Option(help: "How many seconds are counted, after a fifth of it.")
    var seconds = 10.0

    @Option(help: "What the random moments begin with.")
    var seed: UInt64 = 1

    @Flag(help: "Draw each cost, with the measured one as its mean, in place of constant ones.")
    var drawsCosts = false

    func validate() throws {
        let times = rates + [rate, jobSeconds, seconds, share]
        guard times.allSatisfy({ $0.isFinite && $0 > 0 }), share <= 1, !rates.isEmpty else {
            throw ValidationError("Rates, times and the share must be above 0.")
        }
        guard milliseconds.isFinite, milliseconds >= 0, hop.isFinite, hop >= 0 else {
            throw ValidationError("--milliseconds and --hop must be at least 0.")
        }
        let counts = [jobs, brokers, brokerCores, controllers, workers ?? 1, width, queues]
        guard counts.allSatisfy({ $0 >= 1 }) else {
            throw ValidationError("There must be at least one of everything.")
        }
    }

    func run() throws {
        let costs = try TaskCosts.read(costs, which)
        print("costs \"\(which)\", µs: \(words(costs)); seed \(seed)")
        print(
            """
            \(jobs) jobs of \(Int(jobSeconds)) s, tasks of \(milliseconds) ms, \(hop) ms between \
            hosts; \(brokers) brokers with \(brokerCores) cores, \(controllers) loops of \
            controllers, workers of width \(width)
            """
        )
        print(Self.row(["tasks/s", "done/s", "workers"] + Self.kinds.map(\.rawValue) + Self.times))
        var reports: [NetworkReport] = []
        for rate in rates.sorted() {
            let found = report(of: rate, brokers: brokers, costs)
            print(Self.row(cells(found)))
            reports.append(found)
        }
        if let last = reports.last(where: { !$0.isSaturated }) { printLimits(last) }
        printBrokersNeeded(costs)
    }

    // MARK: Parts

    private static let kinds: [NetworkReport.Kind] = [
        .controllers, .queue, .stream, .brokers, .workers, .slots,
    ]
    private static let times = ["way, ms", "1 in 100", "at brokers", "outcomes/message"]

    /// Simulates a rate.
    func report(of rate: Double, brokers: Int, _ costs: TaskCosts) -> NetworkReport {
        let needed = rate * milliseconds / 1_000 / Double(width) * 2
        let plan = TaskNetwork.Plan(
            rate: rate,
            jobs: jobs,
            jobSeconds: jobSeconds,
            brokers: brokers,
            coresOfBroker: brokerCores,
            controllers: controllers,
            workers: workers ?? max(2, Int(needed.rounded(.up))),
            width: width,
            taskSeconds: milliseconds / 1_000,
            hopSeconds: hop / 1_000,
            drawsCosts: drawsCosts
        )
        var network = TaskNetwork(plan, costs, seed: seed)
        return network.run(seconds: seconds, warmUp: seconds / 5)
    }

    /// The lowest sufficient number of brokers.
    ///
    /// The busiest broker stays within the share, and every job finds a channel.
    func brokersNeeded(_ costs: TaskCosts) -> (byCores: Int, byQueues: Int, report: NetworkReport) {
        let byQueues = (jobs + queues - 1) / queues
        var count = 0
        while true {
            count += 1
            let found = report(of: rate, brokers: count, costs)
            let used = found[.brokers]?.busiest ?? 0
            // If each job has its own broker, more brokers do not help.
            if used <= share || count >= jobs { return (count, byQueues, found) }
            // The load of a saturated broker does not show the missing work, so one more broker is
            // tried. Otherwise, the count can jump ahead, because distribution does not reduce the
            // work.
            guard used < 0.99 else { continue }
            count = max(count, Int(used * Double(count) / share) - 1)
        }
    }

    private func printLimits(_ report: NetworkReport) {
        let limits = Self.kinds.map { (kind: $0, rate: report.limit(of: $0)) }
            .filter { $0.rate.isFinite }
            .sorted { $0.rate < $1.rate }
        print("\nwhat is used up first, and at how many tasks a second, as the row of")
        print("\(Int(report.plan.rate)) has it:")
        for limit in limits { print("  \(limit.kind.rawValue): \(Int(limit.rate))") }
    }

    private func printBrokersNeeded(_ costs: TaskCosts) {
        let (byCores, byQueues, found) = brokersNeeded(costs)
        let used = Int(((found[.brokers]?.busiest ?? 0) * 100).rounded())
        print(
            """

            \(Int(rate)) tasks a second: \(max(byCores, byQueues)) brokers; for their cores \
            \(byCores) (the busiest is used to \(used) %, \(Int(share * 100)) % allowed), for a \
            queue of each job \(byQueues)
            """
        )
        print(Self.row(cells(found)))
    }

    private func cells(_ report: NetworkReport) -> [String] {
        let used = Self.kinds.map { kind in
            let busiest = report[kind]?.busiest ?? 0
            return String(format: "%.1f %%", busiest * 100)
        }
        let way = [
            mean(report.overheads), percentile(99, of: report.overheads),
            report[.brokers]?.meanWait ?? 0,
        ]
        return ["\(Int(report.plan.rate))", "\(Int(report.doneRate))", "\(report.plan.workers)"]
            + used + way.map { String(format: "%.2f", $0 * 1_000) }
            + [String(format: "%.1f", report.outcomesOfMessage)]
            + (report.isSaturated ? ["SATURATED"] : [])
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    private func words(_ costs: TaskCosts) -> String {
        let all = [
            ("publish", costs.publish), ("settle", costs.settle), ("enqueue", costs.enqueue),
            ("deliver", costs.deliver), ("append", costs.append), ("worker", costs.worker),
            ("job", costs.job),
        ]
        return all.map { "\($0) \(Int($1.rounded()))" }.joined(separator: ", ")
    }
}
