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
}
