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
}
