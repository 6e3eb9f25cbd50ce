import Foundation
import Testing

@testable import JobKit

@Suite struct OperationDependenciesTests {
    /// Inserts the operation, and returns whether it was new.
    private func insert(_ operation: Operation, _ all: inout OperationDependencies) -> Bool {
        all.insert(operation) != nil
    }

    @Test(arguments: [0, 1, 40])
    func insertedKeepTheirOrderEachOnce(count: Int) {
        let operations = (0..<count).map { _ in Operation() }
        var dependencies = OperationDependencies {}
        for operation in operations { #expect(insert(operation, &dependencies)) }
        for operation in operations { #expect(!insert(operation, &dependencies)) }
        #expect(dependencies.operations == operations)
    }

    @Test func removingAnAbsentOneReturnsNothing() {
        var dependencies = OperationDependencies {}
        _ = insert(Operation(), &dependencies)
        #expect(dependencies.remove(Operation()) == nil)
        #expect(dependencies.operations.count == 1)
    }

    @Test func removedOperationReturnsItsEdge() {
        var dependencies = OperationDependencies {}
        let (first, second) = (Operation(), Operation())
        _ = insert(first, &dependencies)
        let edge = dependencies.insert(second)
        #expect(dependencies.remove(first) !== edge)
        #expect(dependencies.remove(second) === edge)
        #expect(dependencies.operations.isEmpty)
    }

    @Test func removedDependencyIsNotWaitedFor() {
        var dependencies = OperationDependencies {}
        let dependency = Operation()
        _ = insert(dependency, &dependencies)
        _ = insert(dependency, &dependencies)
        #expect(!dependencies.unfinished.isEmpty)
        dependencies.remove(dependency)?.end()
        #expect(dependencies.unfinished.isEmpty)
    }

    @Test func removeAllLeavesNothing() {
        var dependencies = OperationDependencies {}
        let operations = (0..<20).map { _ in Operation() }
        for operation in operations { _ = insert(operation, &dependencies) }
        _ = dependencies.remove(operations[3])
        let taken = dependencies.removeAll()
        #expect(taken.map(\.operation) == operations.filter { $0 !== operations[3] })
        #expect(dependencies.operations.isEmpty)
        #expect(insert(operations[0], &dependencies))
    }

    @Test(arguments: 1...50)
    func randomWalkAgreesWithAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<40).map { _ in Operation() }
        var dependencies = OperationDependencies {}
        var oracle: [Operation] = []
        for step in 0..<400 {
            let operation = operations[Int.random(in: 0..<40, using: &random)]
            let isKnown = oracle.contains(operation)
            // The number rises and falls.
            if random.chance(step / 100 % 2 == 0 ? 70 : 25) {
                #expect(insert(operation, &dependencies) == !isKnown)
                if !isKnown { oracle.append(operation) }
            } else {
                #expect((dependencies.remove(operation) != nil) == isKnown)
                oracle.removeAll { $0 === operation }
            }
            #expect(dependencies.operations.count == oracle.count)
        }
        #expect(dependencies.operations == oracle)
    }
}

@Suite struct DependencyEdgeTests {
    @Test func edgeEndsOnceWhoeverEndsIt() {
        let unfinished = WaitGroup {}
        let (first, second) = (DependencyEdge(unfinished), DependencyEdge(unfinished))
        #expect(first.end() == true)
        #expect(first.end() == false)
        #expect(unfinished.isEmpty == false)
        #expect(second.end() == true)
        #expect(unfinished.isEmpty == true)
    }

    @Test func abandonedEdgeMakesNoOperationReady() {
        let unfinished = WaitGroup {}
        let edge = DependencyEdge(unfinished)
        #expect(edge.leave() == true)
        #expect(edge.end() == false)
        #expect(unfinished.isEmpty == false)
    }
}
