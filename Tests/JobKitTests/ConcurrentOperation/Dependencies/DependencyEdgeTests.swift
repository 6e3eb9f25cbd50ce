import Testing

@testable import JobKit

@Suite struct DependencyEdgeTests {
    private let operation = ConcurrentOperation()

    @Test func edgeEndsOnceWhoeverEndsIt() {
        let dependencyCount = DependencyCount(of: operation)
        let (first, second) = (DependencyEdge(dependencyCount), DependencyEdge(dependencyCount))
        #expect(first.end() == true)
        #expect(first.end() == false)
        #expect(dependencyCount.isReady == false)
        #expect(second.end() == true)
        #expect(dependencyCount.isReady == true)
    }

    @Test func abandonedEdgeMakesNoOperationReady() {
        let dependencyCount = DependencyCount(of: operation)
        let edge = DependencyEdge(dependencyCount)
        #expect(edge.leave() == true)
        #expect(edge.end() == false)
        #expect(dependencyCount.isReady == false)
    }
}
