import Foundation
import Testing

@testable import JobKit

@Suite struct JobTasksTests {
    private let shell = JobShell(callbackQueue: nil)

    private func record(of task: Operation, in shell: JobShell) -> TaskRecord {
        TaskRecord(task, shell: shell, terms: TaskTerms(), queue: nil)
    }

    @Test(arguments: [true, false]) func taskIsNotedOnceUntilItIsForgotten(isConcurrent: Bool) {
        let task = isConcurrent ? ConcurrentOperation() : Operation()
        let record = record(of: task, in: shell)
        var tasks = JobTasks()
        #expect(tasks.noteUndelivered(record, task) == true)
        #expect(tasks.noteUndelivered(record, task) == false)
        tasks.forgetUndelivered(record)
        #expect(tasks.noteUndelivered(record, task) == true)
    }

    @Test(arguments: [true, false]) func taskOfTwoJobsIsNotedByEach(firstForgetsFirst: Bool) {
        let (task, other) = (ConcurrentOperation(), JobShell(callbackQueue: nil))
        let records = [record(of: task, in: shell), record(of: task, in: other)]
        var tasks = [JobTasks(), JobTasks()]
        #expect(tasks[0].noteUndelivered(records[0], task) == true)
        #expect(tasks[1].noteUndelivered(records[1], task) == true)
        let (first, second) = firstForgetsFirst ? (0, 1) : (1, 0)
        tasks[first].forgetUndelivered(records[first])
        #expect(tasks[second].noteUndelivered(records[second], task) == false)
        #expect(tasks[first].noteUndelivered(records[first], task) == true)
    }

    @Test func endedTaskIsCountedAndLeavesTheOthersInOrder() {
        let operations = (0..<3).map { _ in ConcurrentOperation() }
        let records = operations.map { record(of: $0, in: shell) }
        var tasks = JobTasks()
        for record in records { tasks.append(record) }
        records[0].stopWaiting()
        tasks.taskEnded(records[1])
        #expect(tasks.trackedCount == 3)
        #expect(tasks.endedCount == 1)
        #expect(tasks.operations == [operations[0], operations[2]])
        #expect(tasks.awaited.map(ObjectIdentifier.init) == [ObjectIdentifier(records[2])])
        #expect(tasks.removeAll().count == 2)
        #expect(tasks.records.isEmpty)
    }
}
