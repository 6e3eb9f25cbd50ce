import Foundation
import JobKit
import XCTest

#if os(Linux)
/// Whole worlds with nested jobs, tasks of every kind and queues of every kind.
///
/// Chaos threads call every public member at the same time, and one oracle checks all rules.
/// `JOBKIT_WORLD_SECONDS` sets the duration, `JOBKIT_WORLD_FIRST` sets the first seed, and
/// `JOBKIT_WORLD_SEED` repeats one seed. A failing world is shrunk before it is reported.
final class WorldTests: XCTestCase {
    private static let secondsByDefault = 5.0
    private static let environment = ProcessInfo.processInfo.environment

    func testWorldsKeepTheRules() throws {
        try XCTSkipIf(Self.environment["JOBKIT_WORLD_CHILD"] != nil, "the parent's part")
        if let seed = Self.environment["JOBKIT_WORLD_SEED"].flatMap({ UInt64($0) }) {
            return try judge(WorldRun.child(WorldPlan(seed: seed), times: 1_000))
        }
        let seconds = Self.environment["JOBKIT_WORLD_SECONDS"].flatMap { Double($0) }
        let first = Self.environment["JOBKIT_WORLD_FIRST"].flatMap { UInt64($0) } ?? 0
        let report = try WorldRun.child(first: first, seconds: seconds ?? Self.secondsByDefault)
        print("\(report.worlds) worlds")
        XCTAssertGreaterThan(report.worlds, 0)
        try judge(report)
    }

    /// Runs only in the child process, as its only test.
    func testWorldsThatAParentAskedFor() async {
        guard Self.environment["JOBKIT_WORLD_CHILD"] != nil else { return }
        await WorldRun.runWhatIsAsked()
    }

    /// Reports the failures and the smallest world that fails within some minutes.
    private func judge(_ report: WorldRun.Report) throws {
        guard !report.isClean else { return }
        let seeds = report.complaints.map(\.seed) + report.underWay
        for (seed, text) in report.complaints.prefix(5) {
            XCTFail("JOBKIT_WORLD_SEED=\(seed): \(text)")
        }
        if report.complaints.isEmpty {
            XCTFail("ended by \(report.status); under way: JOBKIT_WORLD_SEED=\(report.underWay)")
        }
        var tried: Set<UInt64> = []
        for seed in seeds where tried.insert(seed).inserted {
            let plan = WorldPlan(seed: seed)
            guard try !WorldRun.child(plan, times: 500).isClean else { continue }
            let smallest = try WorldRun.shrunken(plan, within: .seconds(120))
            let text = String(decoding: try JSONEncoder().encode(smallest), as: UTF8.self)
            return XCTFail("of size \(smallest.size), from \(plan.size): \(text)")
        }
        XCTFail("none of the seeds \(seeds) fails when it is repeated alone")
    }
}
#endif
