import Testing

@testable import JobKit

@Suite struct ImpossibleDependencyTests {
    typealias Machine = TaskWorkflowStateMachine

    /// Returns three stages: `main`, then `main` and `concurrent` as a group, then a run of both.
    private func plan() -> Machine {
        var plan = Machine()
        _ = plan.taskAdded(.mainQueue)
        _ = plan.groupAdded([.mainQueue, .concurrentQueue])
        _ = plan.taskAdded(.concurrentQueue)
        _ = plan.taskAdded(.mainQueue)
        return plan
    }

    // W6
    @Test(arguments: [[:], [4: [0, 3]], [1: [2]], [2: [1]], [4: [2]], [3: [4]]])
    func possibleDependenciesAreAccepted(_ dependencies: [Int: [Int]]) {
        #expect(plan().impossibleDependency(among: dependencies) == nil)
    }

    // W6: a main-queue task depends on a later one, or a group's task on one behind the group
    @Test(arguments: [(0, 1), (0, 4), (0, 2), (1, 3), (2, 3), (2, 4), (3, 3)])
    func impossibleDependencyIsNamed(_ task: Int, _ dependency: Int) {
        let found = plan().impossibleDependency(among: [task: [dependency]])
        #expect(found.map { [$0.task, $0.dependency] } == [task, dependency])
    }

    // W6
    @Test func cycleIsNamed() {
        let found = plan().impossibleDependency(among: [3: [4], 4: [3]])
        #expect(found.map { [$0.task, $0.dependency].sorted() } == [3, 4])
        #expect(plan().impossibleDependency(among: [2: [1], 1: [2]]) != nil)
    }

    /// The named dependency is one of the cycle, not one on a task that waits for the cycle.
    @Test func dependencyOnATaskOfACycleIsNotNamed() {
        var plan = Machine()
        _ = plan.tasksAdded(Array(repeating: .concurrentQueue, count: 4), asGroup: false)
        plan.gateAdded("closed")
        _ = plan.taskAdded(.mainQueue)
        let found = plan.impossibleDependency(among: [0: [4, 2], 2: [3], 3: [2], 1: [0]])
        #expect(found.map { [$0.task, $0.dependency].sorted() } == [2, 3])
        #expect(plan.impossibleDependency(among: [0: [4, 2], 2: [3, 1], 1: [4]]) == nil)
    }

    @Test func dependencyOfAnExecutingWorkflowIsFound() {
        var plan = plan()
        _ = plan.started()
        _ = plan.taskFinished(0, hasFailed: false)
        let found = plan.impossibleDependency(among: [1: [4, 0]])
        #expect(found.map { [$0.task, $0.dependency] } == [1, 4])
        #expect(plan.impossibleDependency(among: [1: [0]]) == nil)
        _ = plan.taskRan(1)
        #expect(plan.impossibleDependency(among: [1: [0], 4: [1, 2]]) == nil)
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
                    // Finishes as many tasks as possible while the task never starts.
                    var finished: Set<Int> = []
                    while true {
                        let more = oracle.startable(finished: finished, openGates: 0)
                            .subtracting([task]).subtracting(finished)
                        if more.isEmpty { break }
                        finished.formUnion(more)
                    }
                    let found = plan.impossibleDependency(among: [task: [dependency]])
                    let isImpossible = !finished.contains(dependency)
                    let expected = isImpossible ? [task, dependency] : nil
                    #expect(found.map { [$0.task, $0.dependency] } == expected, "\(oracle)")
                }
            }
        }
    }

    private func add(_ item: WorkflowOracle.Item, to plan: inout Machine) {
        switch item {
        case .main: _ = plan.taskAdded(.mainQueue)
        case .concurrent: _ = plan.taskAdded(.concurrentQueue)
        case .group(let members):
            _ = plan.groupAdded(members.map { $0 ? .mainQueue : .concurrentQueue })
        case .gate: plan.gateAdded("gate")
        }
    }
}
