import Foundation
import Testing

@testable import JobKit

@Suite struct PlainNumbersTests {
    @Test func numberIsStableUntilTheOperationIsReleased() {
        var numbers = PlainNumbers()
        let operation = Operation()
        let first = numbers.number(of: operation).number
        for _ in 0..<1_000 { _ = numbers.number(of: Operation()) }
        _ = numbers.removeFreed()
        #expect(numbers.number(of: operation).number == first)
    }

    @Test func noOperationInheritsANumber() {
        var numbers = PlainNumbers()
        let seen = (0..<10_000).map { _ in numbers.number(of: Operation()).number }
        #expect(Set(seen).count == seen.count)
    }

    @Test func numbersOfFreedOperationsAreRemoved() {
        var numbers = PlainNumbers()
        let kept = (0..<100).map { _ in Operation() }
        for operation in kept where numbers.number(of: operation).needsCompaction {
            _ = numbers.removeFreed()
        }
        // All exist at the same time, so their addresses differ.
        for _ in 0..<10 {
            let others = (0..<1_000).map { _ in Operation() }
            for operation in others where numbers.number(of: operation).needsCompaction {
                _ = numbers.removeFreed()
            }
        }
        #expect(numbers.count < 4_000)
    }

    @Test func removalIsDueOnceUntilItIsDone() {
        var numbers = PlainNumbers()
        let operations = (0..<200).map { _ in Operation() }
        let dueCount = operations.count { numbers.number(of: $0).needsCompaction }
        #expect(dueCount == 1)
        withExtendedLifetime(operations) {
            #expect(numbers.removeFreed().count == 200)
        }
    }

    @Test func numberOfAPlainOperationIsTheSameBeforeAndAfterItsJob() async {
        let task = BlockOperation {}
        let before = task.operationID
        let job = ScriptedJob { $0.trackAndQueue(task) }
        job.startJob()
        await job.waitForFinish()
        #expect(task.operationID == before)
    }
}
