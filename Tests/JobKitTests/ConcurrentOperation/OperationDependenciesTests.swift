import Foundation
import Testing

@testable import JobKit

@Suite struct OperationDependenciesTests {
    @Test(arguments: [0, 1, 16, 17, 40])
    func insertedKeepTheirOrderEachOnce(count: Int) {
        let operations = (0..<count).map { _ in Operation() }
        var dependencies = OperationDependencies()
        for operation in operations { #expect(dependencies.insert(operation) == true) }
        for operation in operations { #expect(dependencies.insert(operation) == false) }
        #expect(dependencies.operations == operations)
    }

    @Test func removingAnAbsentOneTellsSo() {
        var dependencies = OperationDependencies()
        _ = dependencies.insert(Operation())
        #expect(dependencies.remove(Operation()).wasPresent == false)
        #expect(dependencies.operations.count == 1)
    }

    @Test func hookIsHandedBackWithItsOperation() {
        var dependencies = OperationDependencies()
        let (first, second) = (Operation(), Operation())
        let hook = FinishHook {}
        _ = dependencies.insert(first)
        _ = dependencies.insert(second)
        dependencies.keep(hook, for: second)
        #expect(dependencies.remove(first).hook == nil)
        #expect(dependencies.remove(second).hook === hook)
        #expect(dependencies.removeAll().hooks.isEmpty)
    }

    @Test func removeAllLeavesNothing() {
        var dependencies = OperationDependencies()
        let operations = (0..<20).map { _ in Operation() }
        for operation in operations { _ = dependencies.insert(operation) }
        dependencies.keep(FinishHook {}, for: operations[3])
        let taken = dependencies.removeAll()
        #expect(taken.operations == operations)
        #expect(taken.hooks.count == 1)
        #expect(dependencies.operations.isEmpty)
        #expect(dependencies.insert(operations[0]) == true)
    }

    @Test(arguments: 1...50)
    func randomWalkAgreesWithAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<40).map { _ in Operation() }
        var dependencies = OperationDependencies()
        var oracle: [Operation] = []
        for _ in 0..<400 {
            let operation = operations[Int.random(in: 0..<40, using: &random)]
            let isKnown = oracle.contains(operation)
            if random.chance(55) {
                #expect(dependencies.insert(operation) == !isKnown)
                if !isKnown { oracle.append(operation) }
            } else {
                #expect(dependencies.remove(operation).wasPresent == isKnown)
                oracle.removeAll { $0 === operation }
            }
            #expect(dependencies.contains(operation) == oracle.contains(operation))
        }
        #expect(dependencies.operations == oracle)
    }
}
