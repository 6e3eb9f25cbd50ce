import JobKitTesting
import XCTest

@testable import JobKit

/// Random calls against the oracle.
final class LaunchDecisionsStressTests: XCTestCase {
    // D1, D2
    func testRandomWalkDoesWhatTheOracleSays() {
        for round in 0..<200 {
            let seed = UInt64.random(in: .min ... .max)
            var generator = WalkGenerator(seed: seed)
            var oracle = LaunchOracle(
                independent: SeedItem.independent,
                waitsForUnknown: round.isMultiple(of: 2)
            )
            let log = EventLog()
            let decisions = seedDecisions(log, waitsForUnknown: oracle.waitsForUnknown)
            var expected: [String] = []
            for count in 1...200 {
                // Before the opening, no independent item is set, because the oracle does not
                // define the order in which several of them are presented.
                let items = count > 100 ? SeedItem.allCases : SeedItem.prioritized
                let step = count == 100 ? .open : randomStep(items, &generator)
                decisions.take(step)
                expected += oracle.take(step).map { "\($0)" }
                for item in SeedItem.allCases {
                    XCTAssertEqual(decisions.state(of: item), oracle.state(of: item), "\(seed)")
                }
                if log.events != expected { return XCTFail("seed \(seed), after \(count) steps") }
            }
        }
    }

    private func seedDecisions(
        _ log: EventLog,
        waitsForUnknown: Bool
    ) -> LaunchDecisions<SeedItem> {
        let decisions = LaunchDecisions(
            priority: SeedItem.prioritized,
            independent: SeedItem.independent,
            waitsForUnknown: waitsForUnknown
        )
        for item in SeedItem.allCases {
            decisions.whenPresented(item) { log.record("\(LaunchEvent.presented(item))") }
            decisions.whenWithdrawn(item) { log.record("\(LaunchEvent.withdrawn(item))") }
        }
        return decisions
    }
}

private func randomStep(_ items: [SeedItem], _ generator: inout WalkGenerator) -> LaunchStep {
    let item = items[Int(generator.next() % UInt64(items.count))]
    switch generator.next() % 10 {
    case 0...3: return .set(.needed, item)
    case 4, 5: return .set(.notNeeded, item)
    case 6: return .set(.unknown, item)
    case 7, 8: return .complete(item)
    default:
        let others = SeedItem.prioritized
        return .prioritize(item, before: others[Int(generator.next() % UInt64(others.count))])
    }
}

extension LaunchDecisions where Item == SeedItem {
    fileprivate func take(_ step: LaunchStep) {
        switch step {
        case .set(let need, let item): set(need, for: item)
        case .open: open()
        case .complete(let item): complete(item)
        case .prioritize(let item, before: let other): prioritize(item, before: other)
        }
    }
}
