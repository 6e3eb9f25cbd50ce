import Testing

@testable import JobKit

@Suite struct LaunchPlanTests {
    typealias Impossible = LaunchPlan.ImpossibleDependency

    /// Returns three stages: `main`, then `main` and `concurrent` as a group, then a run of both.
    private func plan(_ dependencies: [Int: [Int]]) -> LaunchPlan {
        var plan = LaunchPlan()
        _ = plan.taskAdded(to: .mainQueue)
        _ = plan.groupAdded([.mainQueue, .concurrentQueue])
        _ = plan.taskAdded(to: .concurrentQueue)
        _ = plan.taskAdded(to: .mainQueue)
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
        #expect(
            plan([task: [dependency]]).impossibleDependency()
                == Impossible(task: task, dependency: dependency)
        )
    }

    // W6
    @Test func cycleIsNamed() {
        let found = plan([3: [4], 4: [3]]).impossibleDependency()
        #expect(
            [Impossible(task: 3, dependency: 4), Impossible(task: 4, dependency: 3)].contains(found)
        )
        #expect(plan([2: [1], 1: [2]]).impossibleDependency() != nil)
    }

    /// A dependency is impossible if and only if no order of starts satisfies it.
    ///
    /// This checks every pair in every plan.
    @Test func everyDependencyIsImpossibleExactlyIfNothingMeetsIt() {
        for oracle in WorkflowOracle.all(upTo: 3) where oracle.gateCount == 0 {
            for task in oracle.tasks.indices {
                for dependency in oracle.tasks.indices {
                    var plan = LaunchPlan()
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

    private func add(_ item: WorkflowOracle.Item, to plan: inout LaunchPlan) {
        switch item {
        case .main: _ = plan.taskAdded(to: .mainQueue)
        case .concurrent: _ = plan.taskAdded(to: .concurrentQueue)
        case .group(let members):
            _ = plan.groupAdded(members.map { $0 ? .mainQueue : .concurrentQueue })
        case .gate: plan.gateAdded("gate")
        }
    }
}
