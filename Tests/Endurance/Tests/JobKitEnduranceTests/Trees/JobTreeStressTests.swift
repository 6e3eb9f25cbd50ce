import Foundation
import JobKit
import XCTest

/// Checks the events of ten thousand random trees of jobs against ``JobTreeOracle``.
///
/// A debug build checks a fifth of them. A failure prints the seed, and `JOBKIT_SEED` runs that
/// tree alone a hundred times. `JOBKIT_TREES` reduces the number of trees, for example under a
/// sanitizer.
final class JobTreeStressTests: XCTestCase {
    private static let batch = 40
    #if DEBUG
    private static let count: UInt64 = 2_000
    #else
    private static let count: UInt64 = 10_000
    #endif

    func testRandomTreesKeepTheRules() async {
        let environment = ProcessInfo.processInfo.environment
        let only = environment["JOBKIT_SEED"].flatMap { UInt64($0) }
        let count = environment["JOBKIT_TREES"].flatMap { UInt64($0) } ?? Self.count
        let seeds = only.map { Array(repeating: $0, count: 100) } ?? Array(0..<count)
        let living = LivingJobs()
        var complaints = 0
        for start in stride(from: 0, to: seeds.count, by: Self.batch) where complaints == 0 {
            let trees = seeds[start..<min(start + Self.batch, seeds.count)]
                .map { JobTree(seed: $0, living: living) }
            await run(trees)
            for tree in trees {
                for complaint in tree.complaints().prefix(5) {
                    complaints += 1
                    XCTFail("JOBKIT_SEED=\(tree.seed): \(complaint)")
                }
                tree.forget()
            }
        }
        guard complaints == 0 else { return }
        await eventually { living.count == 0 }  // J10
    }

    private func run(_ trees: [JobTree]) async {
        let finished = expectation(description: "the roots have finished")
        finished.expectedFulfillmentCount = trees.count
        for tree in trees { tree.start { finished.fulfill() } }
        await fulfillment(of: [finished], timeout: 300)
        for tree in trees {
            // Waits for jobs that were left running, and for the jobs that these track in the
            // meantime.
            while let job = tree.jobs.first(where: \.isUnderWay) {
                let before = testRun?.totalFailureCount
                await bounded { await job.waitForFinish() }
                guard testRun?.totalFailureCount == before else { return }
            }
        }
    }
}
