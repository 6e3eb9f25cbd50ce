import Testing

@testable import JobKit

@Suite struct DependencyEdgeTests {
    private let operation = ConcurrentOperation()

    @Test func edgeEndsOnceWhoeverEndsIt() {
        let readiness = Readiness(of: operation)
        let (first, second) = (DependencyEdge(readiness), DependencyEdge(readiness))
        #expect(first.end() == true)
        #expect(first.end() == false)
        #expect(readiness.isReady == false)
        #expect(second.end() == true)
        #expect(readiness.isReady == true)
    }

    @Test func abandonedEdgeMakesNobodyReady() {
        let readiness = Readiness(of: operation)
        let edge = DependencyEdge(readiness)
        #expect(edge.abandon() == true)
        #expect(edge.end() == false)
        #expect(readiness.isReady == false)
    }
}
