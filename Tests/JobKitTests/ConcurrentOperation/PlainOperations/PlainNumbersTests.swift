import Foundation
import Testing

@testable import JobKit

@Suite struct PlainNumbersTests {
    @Test func numberIsStableUntilTheOperationIsReleased() {
        var numbers = PlainNumbers()
        let operation = Operation()
        let first = numbers.number(of: operation).number
        for _ in 0..<1_000 { _ = numbers.number(of: Operation()) }
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
        for operation in kept { _ = numbers.number(of: operation) }
        // All exist at the same time, so their addresses differ.
        for _ in 0..<10 {
            let others = (0..<1_000).map { _ in Operation() }
            for operation in others { _ = numbers.number(of: operation) }
        }
        #expect(numbers.count < 4_000)
        withExtendedLifetime(kept) {}
    }

    @Test func operationsAreCheckedWhenTheirNumberHasDoubled() {
        var numbers = PlainNumbers()
        let operations = (0..<200).map { _ in Operation() }
        let checked = operations.map { numbers.number(of: $0).checked.count }
        #expect(checked.filter { $0 > 0 } == [65, 131])
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
