import Foundation
import JobKit
import XCTest

#if os(Linux)
/// Whole worlds: jobs in jobs, tasks of every kind on queues of every kind, and threads of chaos that
/// call every public member meanwhile; one oracle for all rules.
///
/// `JOBKIT_WORLD_SECONDS` says for how long, `JOBKIT_WORLD_FIRST` with which seed to begin, and
/// `JOBKIT_WORLD_SEED` repeats one seed. A world that fails is made smaller before it is reported.
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

    /// Runs in the child process only, where it is the only test.
    func testWorldsThatAParentAskedFor() async {
        guard Self.environment["JOBKIT_WORLD_CHILD"] != nil else { return }
        await WorldRun.runWhatIsAsked()
    }

    /// Reports what failed, and the smallest world that fails in the same time of some minutes.
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
