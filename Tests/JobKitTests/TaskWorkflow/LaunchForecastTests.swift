import Testing

@testable import JobKit

@Suite struct LaunchForecastTests {
    private func forecast(_ plan: LaunchPlan, _ durations: [Int], gates: [Int: Int] = [:])
        -> [CriticalLaunchTask]
    {
        let start = ContinuousClock.now
        var record = LaunchRecord()
        record.workflowBegan(at: start)
        for (index, duration) in durations.enumerated() {
            record.taskAdded("\(index)")
            record.taskBegan(index, name: "\(index)", at: start)
            record.taskEnded(index, as: .succeeded, at: start + .milliseconds(duration))
        }
        for (gate, opening) in gates { record.gateOpened(gate, at: start + .milliseconds(opening)) }
        return LaunchForecast(plan: plan, record: record).criticalTasks()
    }

    private func critical(_ name: String, _ duration: Int, saves: Int) -> CriticalLaunchTask {
        CriticalLaunchTask(
            name: name,
            duration: .milliseconds(duration),
            savingIfConcurrent: .milliseconds(saves)
        )
    }

    @Test func pathGoesThroughTheSlowestOfAGroup() {
        var plan = LaunchPlan()
        _ = plan.taskAdded(to: .mainQueue)
        _ = plan.groupAdded([.mainQueue, .concurrentQueue, .concurrentQueue])
        _ = plan.taskAdded(to: .mainQueue)
        // Without 0 on the main thread, all but 0 itself starts 100 earlier.
        #expect(
            forecast(plan, [100, 50, 70, 300, 20])
                == [
                    critical("0", 100, saves: 100), critical("3", 300, saves: 0),
                    critical("4", 20, saves: 0),
                ]
        )
    }

    @Test func savingEndsWhereAnotherTaskBecomesTheSlowest() {
        var plan = LaunchPlan()
        for _ in 0..<3 { _ = plan.taskAdded(to: .mainQueue) }
        #expect(
            forecast(plan, [10, 100, 30])
                == [
                    critical("0", 10, saves: 10), critical("1", 100, saves: 40),
                    critical("2", 30, saves: 30),
                ]
        )
    }

    @Test func pathOfManyTasksHasThemAll() {
        var plan = LaunchPlan()
        for _ in 0..<200 { _ = plan.taskAdded(to: .mainQueue) }
        let path = forecast(plan, Array(repeating: 2, count: 200))
        #expect(path.count == 200)
        #expect(path.allSatisfy { $0.savingIfConcurrent == .milliseconds(2) })
    }

    // W6
    @Test func dependenciesAndGatesAreOnThePath() {
        var plan = LaunchPlan()
        _ = plan.taskAdded(to: .concurrentQueue)
        _ = plan.taskAdded(to: .mainQueue)
        plan.dependenciesFound([0], of: 1)
        #expect(
            forecast(plan, [40, 10]) == [critical("0", 40, saves: 0), critical("1", 10, saves: 0)]
        )
        plan.gateAdded("screen")
        _ = plan.taskAdded(to: .concurrentQueue)
        #expect(forecast(plan, [40, 10, 5], gates: [0: 90]) == [critical("2", 5, saves: 0)])
    }

    /// What is worked out for all tasks at once is what a replay of each changed plan says.
    @Test func savingsAreThoseOfAReplay() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = WalkGenerator(seed: seed)
        for _ in 0..<500 {
            let launch = RandomLaunch(&generator)
            let real = LaunchForecast(plan: launch.plan(), record: launch.record)
            let savings = LaunchSavings(real)
            for task in launch.queues.indices {
                let changed = LaunchForecast(
                    plan: launch.plan(withConcurrent: task),
                    record: launch.record
                )
                let expected = launch.total(real) - launch.total(changed)
                guard savings.saving(of: task) == max(.zero, expected) else {
                    Issue.record("task \(task) with the seed \(seed)")
                    return
                }
            }
        }
    }

    /// In minutes if each task were replayed.
    @Test(.timeLimit(.minutes(30))) func fourThousandTasksAreForecast() {
        var plan = LaunchPlan()
        for _ in 0..<4_000 { _ = plan.taskAdded(to: .mainQueue) }
        let path = forecast(plan, Array(repeating: 2, count: 4_000))
        #expect(path.count == 4_000)
    }
}

/// Tasks in groups and alone, with dependencies on earlier ones, gates and durations.
private struct RandomLaunch {
    private let groups: [(isGroup: Bool, gate: Bool, tasks: Range<Int>)]
    private let dependencies: [[Int]]
    let queues: [LaunchTaskQueue]
    let record: LaunchRecord

    init(_ generator: inout WalkGenerator) {
        var groups: [(isGroup: Bool, gate: Bool, tasks: Range<Int>)] = []
        var count = 0
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let size = Int.random(in: 1...4, using: &generator)
            let (isGroup, hasGate) = (
                Bool.random(using: &generator), Int.random(in: 0..<4, using: &generator) == 0
            )
            groups.append((isGroup, hasGate, count..<count + size))
            count += size
        }
        self.groups = groups
        queues = (0..<count)
            .map { _ in Bool.random(using: &generator) ? .mainQueue : .concurrentQueue }
        dependencies = (0..<count)
            .map { task in
                guard task > 0, Int.random(in: 0..<3, using: &generator) == 0 else { return [] }
                return [Int.random(in: 0..<task, using: &generator)]
            }
        let start = ContinuousClock.now
        var record = LaunchRecord()
        record.workflowBegan(at: start)
        for index in 0..<count {
            let duration = Int.random(in: 0...20, using: &generator)
            record.taskAdded("\(index)")
            record.taskBegan(index, name: "\(index)", at: start)
            record.taskRan(
                index,
                at: start + .milliseconds(Int.random(in: 0...duration, using: &generator))
            )
            record.taskEnded(index, as: .succeeded, at: start + .milliseconds(duration))
        }
        for gate in groups.filter(\.gate).indices {
            let opening = Int.random(in: 0...60, using: &generator)
            record.gateOpened(gate, at: start + .milliseconds(opening))
        }
        self.record = record
    }

    func plan(withConcurrent changed: Int? = nil) -> LaunchPlan {
        var plan = LaunchPlan()
        for group in groups {
            if group.gate { plan.gateAdded("gate") }
            let members = group.tasks.map { task in
                task == changed ? LaunchTaskQueue.concurrentQueue : queues[task]
            }
            if group.isGroup {
                _ = plan.groupAdded(members)
            } else {
                for queue in members { _ = plan.taskAdded(to: queue) }
            }
        }
        for (task, dependencies) in dependencies.enumerated() {
            plan.dependenciesFound(dependencies, of: task)
        }
        return plan
    }

    func total(_ forecast: LaunchForecast) -> Duration {
        queues.indices.map { forecast.end(of: $0) }.max() ?? .zero
    }
}
