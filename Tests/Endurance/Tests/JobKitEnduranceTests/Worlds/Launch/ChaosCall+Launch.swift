import Foundation
import JobKit

// Operation forces @unchecked. The class has no stored properties.
/// A launch task that has not finished when its `main(context:)` returns.
private final class LaterLaunchTask: LaunchTask, @unchecked Sendable {
    override var finishesAsynchronously: Bool { true }

    override func main(context: LaunchContext) {
        DispatchQueue.global().async { self.finish() }
    }
}

/// The calls of a chaos thread for the launch of a world.
extension ChaosCall {
    func callLaunch(_ launch: WorldLaunch, _ world: World) {
        let item = target % 6
        let decisions = launch.decisions
        switch member {
        case .setNeed:
            let need: LaunchNeed = [.needed, .needed, .notNeeded, .unknown][other % 4]
            decisions.set(need, for: item)
        case .openDecisions: decisions.open()
        case .completeItem: decisions.complete(item)
        case .prioritizeItem: decisions.prioritize(item % 4, before: other % 4)
        case .askItem: _ = (decisions.need(for: item), decisions.state(of: item))
        case .followItem:
            let updates = decisions.updates(for: item)
            Task { for await _ in updates { break } }
        case .openGate:
            // The gate may not have been added yet, and then this call opens nothing.
            launch.open.openGate("chaos")
            launch.openNextGate()
        case .cancelWorkflow where other % 4 == 0: launch.workflow.cancel()
        case .addLaunchTasks: addTasks(to: launch.open)
        case .askWorkflow:
            let workflow = other % 2 == 0 ? launch.workflow : launch.open
            let text = workflow.generateTimeline()
            if !text.isEmpty, !text.hasPrefix("[Launch start]") { world.complain("W4: \(text)") }
            _ = (workflow.state, workflow.explainStall(), workflow.snapshot())
        case .startAndWait: startAndWait()
        case .addStartup:
            let kind = StartupKind.allCases[other % StartupKind.allCases.count]
            launch.manager.addStartupTask(launch.startupTask(1_000 + other, kind))
        case .removeStartup:
            let task = launch.startupTask(2_000 + other, .elsewhere)
            launch.manager.addStartupTask(task)
            launch.manager.removeStartupTask(task)
        case .clearStartup where other % 4 == 0: launch.manager.removeAllStartupTasks()
        case .startStartup: launch.manager.startAllTasks()
        default: break
        }
    }

    private func addTasks(to workflow: TaskWorkflow) {
        let queue: LaunchTaskQueue = other % 3 == 0 ? .mainQueue : .concurrentQueue
        let task = ClosureTask(name: "added", queue: queue) { _ in }
        switch other % 4 {
        case 0: workflow.addTask(task)
        case 1: workflow.addBlockingTasks([task, AsyncClosureTask(name: "async") { _ in }])
        case 2: workflow.addGate("chaos")
        default: workflow.addBlockingTasks([task, LaterLaunchTask(queue: queue)])
        }
    }

    /// Waits on this thread, which is not the main thread.
    private func startAndWait() {
        let workflow = TaskWorkflow(name: "short")
        workflow.addTask(ClosureTask(name: "one", queue: .concurrentQueue) { _ in })
        workflow.addTask(ClosureTask(name: "two", queue: .mainQueue) { _ in })
        _ = workflow.startAndWait(timeout: .microseconds(other * 10))
    }
}
