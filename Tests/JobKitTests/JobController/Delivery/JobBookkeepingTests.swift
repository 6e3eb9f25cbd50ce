import Foundation
import Testing

@testable import JobKit

/// Tests the list of ``JobTasks``, and ``JobGroups``.
@Suite struct JobBookkeepingTests {
    private func record(_ name: String) -> TaskRecord {
        let task = ConcurrentOperation()
        task.name = name
        return TaskRecord(
            task,
            shell: JobShell(callbackQueue: nil),
            terms: TaskTerms(),
            queue: nil
        )
    }

    @Test(arguments: 0..<50) func listKeepsTheOrderTracked(seed: Int) {
        var random = WalkGenerator(seed: UInt64(seed))
        var list = JobTasks()
        var oracle: [TaskRecord] = []
        for turn in 0..<200 {
            if Bool.random(using: &random) || oracle.isEmpty {
                let record = record("\(turn)")
                list.append(record)
                oracle.append(record)
            } else {
                let index = Int.random(in: 0..<oracle.count, using: &random)
                list.taskEnded(oracle.remove(at: index))
            }
            #expect(list.records.map(ObjectIdentifier.init) == oracle.map(ObjectIdentifier.init))
        }
        #expect(list.removeAll().count == oracle.count)
        #expect(list.records.isEmpty)
    }

    @Test func groupsAreNumberedOnceEach() {
        var groups = JobGroups()
        let type = Operation.self
        #expect(groups.number(of: nil, for: type) == 0)
        #expect(groups.number(of: nil, for: type) == 0)
        #expect(groups.number(of: .named("Operation"), for: type) == 1)
        #expect(groups.number(of: .type(BlockOperation.self), for: type) == 2)
        #expect(groups.number(of: nil, for: BlockOperation.self) == 2)
        #expect(groups.number(of: nil, for: type) == 0)
        #expect(groups.groups == [.type(type), .named("Operation"), .type(BlockOperation.self)])
    }

    @Test func laterGroupClosureReplacesTheFirst() {
        var groups = JobGroups()
        let group = JobGroup.named("g")
        #expect(groups.setCompletion({}, for: group) == nil)
        #expect(groups.setCompletion({}, for: group) != nil)
        #expect(groups.takeCompletions().count == 1)
        #expect(groups.completions.isEmpty)
    }

    @Test func groupIsDescribedByItsNameOrType() {
        #expect("\(JobGroup.named("g"))" == "g")
        #expect("\(JobGroup.type(BlockOperation.self))" == "\(BlockOperation.self)")
        #expect(JobGroup.named("BlockOperation") != .type(BlockOperation.self))
    }
}
