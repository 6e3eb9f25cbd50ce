import JobKit
import XCTest

@testable import JobKitTesting

/// Compares how 40 planted order faults are found.
final class PlantedOrderFaultTests: XCTestCase {
    private typealias Kind = PlantedOrderFault.Kind

    /// The number of runs until one fails.
    private func runs(
        _ kind: Kind,
        _ choosers: some Sequence<StepChooser>
    ) async -> Int? {
        var count = 0
        for chooser in choosers {
            count += 1
            let queue = StepQueue()
            let job = PlantedOrderFault(kind, queue: queue)
            let (result, _) = await queue.run(job, chooser: chooser, patience: .seconds(10))
            if case .failure = result { return count }
        }
        return nil
    }

    func testFortyFaults() async throws {
        var (bySeeds, byOrders, byPriorities) = (0, 0, 0)
        print("| fault | 50 seeds | runEveryOrder | 100 of PCT |")
        print("|---|--:|--:|--:|")
        for kind in PlantedOrderFault.all {
            let seeds = await runs(kind, (0..<50).lazy.map { StepChooser(seed: UInt64($0)) })
            var orders = 0
            do {
                try await StepQueue.runEveryOrder { queue in
                    orders += 1
                    return PlantedOrderFault(kind, queue: queue)
                }
                XCTFail("not found: \(kind.name)")
            } catch let error as StepOrderError {
                XCTAssertTrue(error.underlyingError is PlantedOrderFault.Wrong)
                byOrders += 1
            }
            let priorities = (1...100).lazy
                .map {
                    let steps = kind.chains * kind.length + 1
                    return StepPriorities(seed: UInt64($0), steps: steps)
                }
            let sampled = await runs(kind, priorities.map { StepChooser($0) })
            bySeeds += seeds == nil ? 0 : 1
            byPriorities += sampled == nil ? 0 : 1
            let texts = [seeds, orders, sampled].map { $0.map(String.init) ?? "–" }
            print("| \(kind.name) | \(texts.joined(separator: " | ")) |")
        }
        print("| found | \(bySeeds) | \(byOrders) | \(byPriorities) |")
        XCTAssertEqual(byOrders, 40)
        XCTAssertGreaterThanOrEqual(byPriorities, 35)
    }
}
