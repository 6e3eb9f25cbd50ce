import XCTest

/// A reproducible source of random numbers.
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var walk: WalkGenerator

    init(seed: UInt64) {
        self.seed = seed
        walk = WalkGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { walk.next() }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }
}

extension XCTestCase {
    /// Calls `body` with a tenth of the seeds, or with all of them (see `rounds(of:)`).
    ///
    /// The first seed that fails is printed and ends the loop.
    func forEachSeed(
        _ seeds: ClosedRange<UInt64>,
        _ body: (inout SeededGenerator) async throws -> Void
    ) async rethrows {
        for seed in seeds.prefix(rounds(of: seeds.count)) {
            let failures = testRun?.totalFailureCount ?? 0
            var generator = SeededGenerator(seed: seed)
            try await body(&generator)
            guard testRun?.totalFailureCount == failures else {
                return print("\(name) failed with the seed \(seed)")
            }
        }
    }
}
