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

    @Test func edgeRemovedBeforeItWasRegisteredIsNotKept() {
        var dependents = DependentEdges()
        let readiness = Readiness(of: operation)
        let (removed, kept) = (DependencyEdge(readiness), DependencyEdge(readiness))
        removed.end()
        _ = dependents.edgeRemoved()
        dependents.insert(removed)
        dependents.insert(kept)
        #expect(dependents.edges.map(ObjectIdentifier.init) == [ObjectIdentifier(kept)])
    }

    @Test(arguments: 1...30)
    func removedEdgesAreNeverMoreThanTheOthersAndSome(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let readiness = Readiness(of: operation)
        var dependents = DependentEdges()
        var waiting: [DependencyEdge] = []
        for _ in 0..<600 {
            if waiting.isEmpty || random.chance(50) {
                let edge = DependencyEdge(readiness)
                dependents.insert(edge)
                waiting.append(edge)
            } else {
                waiting.remove(at: Int.random(in: waiting.indices, using: &random)).end()
                _ = dependents.edgeRemoved()
            }
            #expect(dependents.edges.count <= 2 * waiting.count + 16)
            let left = dependents.edges.filter { !$0.isOver }
            #expect(left.map(ObjectIdentifier.init) == waiting.map(ObjectIdentifier.init))
        }
    }
}
