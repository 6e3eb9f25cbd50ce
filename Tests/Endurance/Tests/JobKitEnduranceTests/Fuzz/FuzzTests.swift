import Foundation
import Synchronization
import XCTest

@testable import JobKit

/// Thousands of random duels, each reproducible from its seed.
///
/// `JOBKIT_FUZZ_SECONDS` sets the duration, `JOBKIT_FUZZ_FIRST` sets the first seed, and
/// `JOBKIT_FUZZ_SEED` runs one seed a thousand times. `JOBKIT_FUZZ_ONLY` selects duels by a part of
/// their names. If a duel ends the process, the last printed line contains the first seed to check.
final class FuzzTests: XCTestCase {
    private static let batch: UInt64 = 16
    private static let secondsByDefault = 5.0

    func testDuelsKeepTheRules() async {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["JOBKIT_FUZZ_SECONDS"].flatMap { Double($0) }
        let only = environment["JOBKIT_FUZZ_SEED"].flatMap { UInt64($0) }
        let first = environment["JOBKIT_FUZZ_FIRST"].flatMap { UInt64($0) } ?? 0
        let part = environment["JOBKIT_FUZZ_ONLY"]
        let duels = Duel.all.filter { duel in part.map { duel.name.contains($0) } ?? true }
        guard !duels.isEmpty else { return XCTFail("no duel's name contains \(part ?? "")") }
        let end = ContinuousClock.now + .seconds(seconds ?? Self.secondsByDefault)
        let score = Score()
        var next = only ?? first
        let last = only.map { $0 + 1_000 }
        while last.map({ next < $0 }) ?? (ContinuousClock.now < end) {
            if (next - (only ?? first)) % 1_600 == 0 { print("JOBKIT_FUZZ_FIRST=\(next)") }
            let seeds = (0..<Self.batch).map { only ?? next + $0 }
            next += Self.batch
            guard await fight(seeds, among: duels, score) else { return }
        }
        print("\(score.count) duels")
    }

    /// Returns false if a rule was broken or a duel does not end.
    private func fight(_ seeds: [UInt64], among duels: [Duel], _ score: Score) async -> Bool {
        let ended = expectation(description: "the duels from seed \(seeds[0]) have ended")
        ended.expectedFulfillmentCount = seeds.count
        score.beganAll(of: seeds)
        let failures = testRun?.totalFailureCount
        for seed in Set(seeds) {
            let repeats = seeds.count { $0 == seed }
            Task.detached {
                for _ in 0..<repeats {
                    var dice = Dice(seed: seed)
                    let duel = duels[dice.number(0...duels.count - 1)]
                    let referee = Referee()
                    await duel.fight(&dice, referee)
                    score.add()
                    for complaint in referee.complaints.prefix(3) {
                        XCTFail("JOBKIT_FUZZ_SEED=\(seed): \(duel.name): \(complaint)")
                    }
                    ended.fulfill()
                }
                score.ended(seed)
            }
        }
        await fulfillment(of: [ended], timeout: 300)
        guard testRun?.totalFailureCount == failures else {
            print("not ended: seeds \(score.underWay)")
            return false
        }
        return true
    }
}

/// The results of all duels.
private final class Score: Sendable {
    private let state = Guarded((duels: 0, underWay: Set<UInt64>()))

    var count: Int { state.withLock { $0.duels } }

    /// The seeds of the duels that have not ended.
    var underWay: [UInt64] { state.withLock { $0.underWay.sorted() } }

    func beganAll(of seeds: [UInt64]) { state.withLock { $0.underWay.formUnion(seeds) } }

    func ended(_ seed: UInt64) { state.withLock { _ = $0.underWay.remove(seed) } }

    func add() { state.withLock { $0.duels += 1 } }
}
