import Foundation
import Testing

@testable import benchmarks

@Suite struct TaskNetworkTests {
    private static let seed: UInt64 = 11

    private func costs(_ change: (inout TaskCosts) -> Void) -> TaskCosts {
        var costs = TaskCosts.none
        change(&costs)
        return costs
    }

    private func report(
        _ plan: TaskNetwork.Plan,
        _ costs: TaskCosts,
        seed: UInt64 = seed,
        seconds: Double = 4
    ) -> NetworkReport {
        var network = TaskNetwork(plan, costs, seed: seed)
        return network.run(seconds: seconds, warmUp: 1)
    }

    private var plan: TaskNetwork.Plan {
        var plan = TaskNetwork.Plan(rate: 1_000)
        plan.jobs = 100
        plan.taskSeconds = 0.001
        return plan
    }

    private let usual = TaskCosts(
        publish: 10,
        settle: 20,
        enqueue: 50,
        deliver: 30,
        append: 40,
        worker: 50,
        job: 1_000
    )

    @Test func theSameSeedCountsTheSame() {
        #expect(report(plan, usual) == report(plan, usual))
        #expect(report(plan, usual) != report(plan, usual, seed: 12))
    }

    @Test func stationsWorkForAsLongAsTheirTasksCost() throws {
        let found = report(plan, usual)
        #expect(!found.isSaturated)
        #expect(abs(found.doneRate / plan.rate - 1) < 0.05)
        func used(_ kind: NetworkReport.Kind) throws -> Double {
            try #require(found[kind]).utilisation
        }
        let task = found.doneRate / 1e6
        #expect(abs(try used(.controllers) / (task * 30 / 4) - 1) < 0.05)
        #expect(abs(try used(.workers) / (task * 50 / 4) - 1) < 0.05)
        #expect(abs(try used(.slots) / (task * 1_000 / 32) - 1) < 0.05)
        // One job per second is created and removed.
        let atBroker = task * (80 + 40 / found.outcomesOfMessage) + 1 * 1_000 / 1e6
        #expect(abs(try used(.brokers) / (atBroker / 2) - 1) < 0.05)
    }

    /// The number of tasks under way is their rate times their time (Little), over all stations.
    @Test func tasksOnTheirWayAreTheirRateTimesTheirTime() {
        var plan = plan
        plan.hopSeconds = 0
        let dear = costs {
            ($0.publish, $0.enqueue, $0.deliver, $0.worker) = (200, 500, 500, 100)
        }
        let found = report(plan, dear, seconds: 20)
        let present = found.stations.map(\.meanPresent).reduce(0, +)
        let time = mean(found.overheads) + plan.taskSeconds
        #expect(abs(present / (found.doneRate * time) - 1) < 0.03, "seed \(Self.seed)")
    }

    @Test func aWayWithoutWaitsTakesItsCostsAndHops() {
        var plan = plan
        plan.rate = 1
        let found = report(plan, usual, seconds: 100)
        // A task travels to the broker and to the worker, and its outcome takes the same way back.
        let expected = (10 + 20 + 50 + 30 + 40 + 50) / 1e6 + 4 * plan.hopSeconds
        #expect(abs(percentile(50, of: found.overheads) - expected) < 1e-9)
        #expect(found.outcomesOfMessage == 1)
    }

    @Test func whatIsDearestIsUsedUpFirst() {
        let dearBroker = costs { ($0.enqueue, $0.deliver, $0.publish) = (900, 900, 100) }
        #expect(report(plan, dearBroker).tightest?.kind == .brokers)
        let dearController = costs { ($0.publish, $0.settle) = (1_800, 1_800) }
        #expect(report(plan, dearController).tightest?.kind == .controllers)
        // One job has one queue, which is one process on any number of cores.
        var one = plan
        (one.jobs, one.coresOfBroker) = (1, 16)
        let found = report(one, costs { ($0.enqueue, $0.deliver) = (400, 400) })
        #expect(found.tightest?.kind == .queue)
        #expect(abs(found.limit(of: .queue) / 1_250 - 1) < 0.05)
    }

    @Test func moreThanThereIsRoomForIsSaid() {
        let found = report(plan, costs { $0.enqueue = 4_000 })
        #expect(found.isSaturated)
        #expect(found.doneRate < 550)
        // The number of waiting tasks grows with time.
        #expect(percentile(99, of: found.overheads) > 1)
    }

    @Test func outcomesOfOneJobTravelTogetherAndThoseOfManyDoNot() {
        var one = plan
        (one.jobs, one.workers, one.width) = (1, 1, 64)
        let slow = costs { $0.append = 4_000 }
        #expect(report(one, slow).outcomesOfMessage > 3)
        var many = one
        many.jobs = 100_000
        #expect(report(many, costs { $0.append = 100 }).outcomesOfMessage < 1.1)
    }

    @Test func brokersAreCountedByTheirCoresAndByTheQueuesOfJobs() throws {
        let dear = costs { ($0.enqueue, $0.deliver) = (600, 400) }
        func needed(_ more: [String]) throws -> [Int] {
            let options = ["--costs", "none", "--seconds", "3", "--milliseconds", "1"]
            let simulate = try Simulate.parse(options + more)
            let found = simulate.brokersNeeded(dear)
            return [found.byCores, found.byQueues]
        }
        // A thousand tasks need one core, and half of two cores may be used.
        let few = try needed(["--rate", "800", "--share", "0.5", "--jobs", "900"])
        #expect(few == [1, 1])
        let many = try needed(["--rate", "2400", "--share", "0.5", "--queues", "300"])
        #expect(many == [3, 4])
    }

    @Test func costsAreReadAndWrongOnesRefused() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("remote-jobs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(["alone": usual]).write(to: file)
        #expect(try TaskCosts.read(file.path, "alone") == usual)
        #expect(throws: WrongCostError.self) { try TaskCosts.read(file.path, "together") }
        var wrong = usual
        wrong.append = -1
        #expect(throws: WrongCostError.self) { try wrong.check() }
        wrong.append = .nan
        #expect(throws: WrongCostError.self) { try wrong.check() }
    }

    @Test(arguments: [["--rate", "0"], ["--share", "1.5"], ["--brokers", "0"], ["--hop", "-1"]])
    func optionsWithoutAMeaningAreRefused(_ options: [String]) {
        #expect(throws: (any Error).self) { try Simulate.parse(["--costs", "x"] + options) }
    }
}
