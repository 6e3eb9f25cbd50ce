import Testing

@testable import JobKit

@Suite struct ImpossibleDependencyTests {
    typealias Machine = TaskWorkflowStateMachine<String>

    /// Returns three stages: `main`, then `main` and `concurrent` as a group, then a run of both.
    private func plan(_ dependencies: [Int: [Int]]) -> Machine {
        var plan = Machine()
        _ = plan.taskAdded("task", queue: .mainQueue)
        _ = plan.groupAdded([("task", .mainQueue), ("task", .concurrentQueue)])
        _ = plan.taskAdded("task", queue: .concurrentQueue)
        _ = plan.taskAdded("task", queue: .mainQueue)
        for (task, dependencies) in dependencies {
            plan.dependenciesFound(dependencies, of: task)
        }
        return plan
    }

    // W6
    @Test(arguments: [[:], [4: [0, 3]], [1: [2]], [2: [1]], [4: [2]], [3: [4]]])
    func possibleDependenciesAreAccepted(_ dependencies: [Int: [Int]]) {
        #expect(plan(dependencies).impossibleDependency() == nil)
    }

    // W6: a main-queue task depends on a later one, or a group's task on one behind the group
    @Test(arguments: [(0, 1), (0, 4), (0, 2), (1, 3), (2, 3), (2, 4), (3, 3)])
    func impossibleDependencyIsNamed(_ task: Int, _ dependency: Int) {
        let found = plan([task: [dependency]]).impossibleDependency()
        #expect(found.map { [$0.task, $0.dependency] } == [task, dependency])
    }

    // W6
    @Test func cycleIsNamed() {
        let found = plan([3: [4], 4: [3]]).impossibleDependency()
        #expect(found.map { [$0.task, $0.dependency].sorted() } == [3, 4])
        #expect(plan([2: [1], 1: [2]]).impossibleDependency() != nil)
    }

    /// A dependency is impossible if and only if no order of starts satisfies it.
    ///
    /// This checks every pair in every plan.
    @Test func everyDependencyIsImpossibleExactlyIfNothingMeetsIt() {
        for oracle in WorkflowOracle.all(upTo: 3) where oracle.gateCount == 0 {
            for task in oracle.tasks.indices {
                for dependency in oracle.tasks.indices {
                    var plan = Machine()
                    for item in oracle.items { add(item, to: &plan) }
                    plan.dependenciesFound([dependency], of: task)
                    // Finishes as many tasks as possible while the task never starts.
                    var finished: Set<Int> = []
                    while true {
                        let more = oracle.startable(finished: finished, openGates: 0)
                            .subtracting([task]).subtracting(finished)
                        if more.isEmpty { break }
                        finished.formUnion(more)
                    }
                    let isImpossible = plan.impossibleDependency() != nil
                    #expect(isImpossible == !finished.contains(dependency), "\(oracle)")
                }
            }
        }
    }

    private func add(_ item: WorkflowOracle.Item, to plan: inout Machine) {
        switch item {
        case .main: _ = plan.taskAdded("task", queue: .mainQueue)
        case .concurrent: _ = plan.taskAdded("task", queue: .concurrentQueue)
        case .group(let members):
            _ = plan.groupAdded(members.map { ("task", $0 ? .mainQueue : .concurrentQueue) })
        case .gate: plan.gateAdded("gate")
        }
    }
}
