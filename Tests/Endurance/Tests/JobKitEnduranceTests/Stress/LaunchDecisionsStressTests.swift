import JobKitTesting
import Synchronization
import XCTest

@testable import JobKit

/// Random calls: one after another against the oracle, and from many threads at once.
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

    // D1, D2: a presentation is followed by the item's own withdrawal, and closures never overlap.
    func testThreadsNeverPresentTwoItems() async {
        await walkOnThreads { step in
            if case .complete = step { false } else { true }
        } check: { events, executing in
            for (event, next) in zip(events, events.dropFirst()) {
                switch event {
                case .presented(let item): XCTAssertEqual(next, .withdrawn(item))
                case .withdrawn(let item): XCTAssertNotEqual(next, .withdrawn(item))
                }
            }
            XCTAssertEqual(events.last.flatMap(\.presentedItem), executing)
        }
    }

    // D2: the same with completions, for which no closure is called.
    func testThreadsThatCompleteNeverWithdrawWhatIsNotPresented() async {
        await walkOnThreads { _ in
            true
        } check: { events, executing in
            for (event, next) in zip(events, events.dropFirst()) {
                if case .withdrawn(let item) = next { XCTAssertEqual(event, .presented(item)) }
            }
            if let executing { XCTAssertEqual(events.last, .presented(executing)) }
        }
    }

    /// Changes an open launch at random on four threads.
    ///
    /// Then it calls `check` with the events of the priority list, in order, and the item that is
    /// executing at the end.
    private func walkOnThreads(
        _ isTaken: @escaping @Sendable (LaunchStep) -> Bool,
        check: ([LaunchEvent], SeedItem?) -> Void
    ) async {
        let seed = UInt64.random(in: .min ... .max)
        print("\(name): seed \(seed)")
        for round in 0..<25 {
            let ran = RanClosures()
            let decisions = LaunchDecisions(
                priority: SeedItem.prioritized,
                independent: SeedItem.independent
            )
            for item in SeedItem.allCases {
                decisions.whenPresented(item) { ran.add(.presented(item)) }
                decisions.whenWithdrawn(item) { ran.add(.withdrawn(item)) }
            }
            decisions.open()
            await runOnThreads(4) { thread in
                var generator = WalkGenerator(seed: seed &+ UInt64(round * 4 + thread))
                for _ in 0..<300 {
                    let step = randomStep(SeedItem.allCases, &generator)
                    if isTaken(step) { decisions.take(step) }
                }
            }
            XCTAssertFalse(ran.hasOverlapped)
            let executing = SeedItem.prioritized.filter { decisions.state(of: $0) == .executing }
            XCTAssertLessThan(executing.count, 2)
            check(ran.events.filter { SeedItem.prioritized.contains($0.item) }, executing.first)
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

/// Records the closures that ran, and whether two ever ran at once.
private final class RanClosures: Sendable {
    private let isRunning = Atomic(false)
    private let overlaps = Atomic(false)
    // The array has no lock, so that the thread sanitizer reports closures that overlap.
    nonisolated(unsafe) private(set) var events: [LaunchEvent] = []

    var hasOverlapped: Bool { overlaps.load(ordering: .relaxed) }

    func add(_ event: LaunchEvent) {
        if isRunning.exchange(true, ordering: .relaxed) { overlaps.store(true, ordering: .relaxed) }
        events.append(event)
        isRunning.store(false, ordering: .relaxed)
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

extension LaunchEvent {
    fileprivate var item: SeedItem {
        switch self {
        case .presented(let item), .withdrawn(let item): item
        }
    }

    fileprivate var presentedItem: SeedItem? {
        if case .presented(let item) = self { item } else { nil }
    }
}
