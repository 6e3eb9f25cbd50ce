import Testing

@testable import JobKit

// X1 to X4
@Suite struct KeyedQueueExhaustiveTests {
    @Test(arguments: runsLong ? [1, Int.max] : [1])
    func everyOrderOfThreeOperationsFollowsTheRules(limit: Int) {
        let search = KeyedQueueSearch.run(limits: [(limit, 1)], canRaise: false)
        #expect(search.failure == nil)
        #expect(search.orderCount == 23_040)
    }

    /// More operations and keys, and therefore longer chains of waiting operations.
    @Test(arguments: [1, 2, Int.max], [1, 2])
    func randomWalkFollowsTheRules(limit: Int, limitPerKey: Int) {
        for seed in 0..<rounds(of: 2_000) {
            let failure = KeyedQueueSearch.walk(seed: seed, limit: limit, limitPerKey: limitPerKey)
            #expect(failure == nil, "seed \(seed)")
        }
    }
}
