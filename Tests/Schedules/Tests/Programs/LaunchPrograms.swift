import Foundation
import JobKit
import Scheduler

private final class StartTask: AppStartTask {
    let taskName: String
    private let body: (any AppStartTaskDelegate, StartTask) -> Void

    init(_ name: String, _ body: @escaping (any AppStartTaskDelegate, StartTask) -> Void) {
        (taskName, self.body) = (name, body)
    }

    func start(delegate: any AppStartTaskDelegate) { body(delegate, self) }
}

/// The races of start-up tasks, launch decisions and workflows: A1, D1, D2, W1, W2, W6.
final class LaunchPrograms: Programs {
    func testTwoReportsOfOneTask() {
        explore { world in
            let manager = AppStartTaskManager()
            let first = StartTask("first") { delegate, task in
                world.spawn("reports") { delegate.startupTaskDidComplete(task) }
                world.spawn("reports again") { delegate.startupTaskDidComplete(task) }
            }
            let second = StartTask("second") { delegate, task in
                world.record("second")
                delegate.startupTaskDidComplete(task)
            }
            for task in [first, second] { manager.addStartupTask(task) }
            manager.startAllTasks()
            world.join()
            world.expectEqual(world.count("second"), 1, "A1: started")
        }
    }

    func testStartAgainstStartWhileATaskRuns() {
        explore { world in
            let manager = AppStartTaskManager()
            manager.addStartupTask(
                StartTask("first") { delegate, task in
                    world.spawn("reports") {
                        world.record("first has ended")
                        delegate.startupTaskDidComplete(task)
                    }
                }
            )
            manager.addStartupTask(
                StartTask("second") { delegate, task in
                    world.record("second begins")
                    delegate.startupTaskDidComplete(task)
                }
            )
            world.together({ manager.startAllTasks() }, { manager.startAllTasks() })
            world.expectEqual(world.events, ["first has ended", "second begins"], "A1:")
        }
    }

    func testReportAgainstFailure() {
        explore { world in
            let manager = AppStartTaskManager()
            let first = StartTask("first") { delegate, task in
                world.spawn("completes") { delegate.startupTaskDidComplete(task) }
                world.spawn("fails") { delegate.startupTaskDidFail(task, error: ProgramError()) }
            }
            manager.addStartupTask(first)
            manager.addStartupTask(
                StartTask("second") { delegate, task in
                    world.section("tasks") { world.record("second") }
                    delegate.startupTaskDidComplete(task)
                }
            )
            manager.startAllTasks()
            world.join()
            world.expect(world.count("second") <= 1, "A1: started twice")
        }
    }

    func testStartAgainstStart() {
        explore { world in
            let manager = AppStartTaskManager()
            for name in ["a", "b"] {
                manager.addStartupTask(
                    StartTask(name) { delegate, task in
                        world.section("tasks") { world.record(name) }
                        delegate.startupTaskDidComplete(task)
                    }
                )
            }
            world.together({ manager.startAllTasks() }, { manager.startAllTasks() })
            world.expectEqual(world.events, ["a", "b"], "A1:")
        }
    }

    func testRemovalAgainstStart() {
        explore { world in
            let manager = AppStartTaskManager()
            let tasks = ["a", "b"]
                .map { name in
                    StartTask(name) { delegate, task in
                        world.record(name)
                        delegate.startupTaskDidComplete(task)
                    }
                }
            for task in tasks { manager.addStartupTask(task) }
            world.together(
                { manager.startAllTasks() },
                { manager.removeStartupTask(tasks[0]) }
            )
            world.expect(world.events.last == "b" && world.count("a") <= 1, "A1: \(world.events)")
        }
    }

    private func decisions(_ world: World) -> LaunchDecisions<String> {
        let decisions = LaunchDecisions(priority: ["high", "low"])
        for item in ["high", "low"] {
            decisions.whenPresented(item) { world.enter("presented") }
            decisions.whenWithdrawn(item) { world.leave("presented") }
        }
        return decisions
    }

    func testNeedAgainstOpen() {
        explore { [self] world in
            let decisions = decisions(world)
            world.together({ decisions.set(.needed, for: "low") }, { decisions.open() })
            world.expectEqual(decisions.state(of: "low"), .executing, "D1:")
        }
    }

    func testHigherNeedAgainstLower() {
        explore { [self] world in
            let decisions = decisions(world)
            decisions.open()
            world.together(
                { decisions.set(.needed, for: "low") },
                { decisions.set(.needed, for: "high") }
            )
            world.expectEqual(decisions.state(of: "high"), .executing, "D1:")
            world.expectEqual(decisions.state(of: "low"), .suspended, "D1:")
        }
    }

    func testCompleteAgainstHigherNeed() {
        explore { world in
            let decisions = LaunchDecisions(priority: ["high", "low"])
            decisions.open()
            decisions.set(.needed, for: "low")
            world.together({ decisions.complete("low") }, { decisions.set(.needed, for: "high") })
            world.expectEqual(decisions.state(of: "high"), .executing, "D1:")
        }
    }

    func testPrioritizeAgainstNeed() {
        explore { [self] world in
            let decisions = decisions(world)
            decisions.open()
            decisions.set(.needed, for: "high")
            world.together(
                { decisions.prioritize("low", before: "high") },
                { decisions.set(.needed, for: "low") }
            )
            world.expectEqual(decisions.state(of: "low"), .executing, "D2:")
        }
    }

    private func task(_ world: World, _ name: String) -> ClosureTask {
        ClosureTask(name: name, queue: .concurrentQueue) { _ in
            world.point()
            world.record(name)
        }
    }

    func testBlockingGroupFinishesFirst() {
        explore { [self] world in
            let workflow = TaskWorkflow(name: "launch")
            workflow.addBlockingTasks([task(world, "a"), task(world, "b")])
            workflow.addTask(task(world, "c"))
            world.together({ workflow.start(context: [:]) })
            world.wait(for: workflow)
            world.expect(world.events.last == "c", "W2: \(world.events)")
            world.expectEqual(world.events.count, 3, "W2:")
        }
    }

    func testGateAgainstStart() {
        explore { [self] world in
            let workflow = TaskWorkflow(name: "launch")
            workflow.addTask(task(world, "a"))
            workflow.addGate("screen")
            workflow.addTask(task(world, "b"))
            world.together({ workflow.start(context: [:]) }, { workflow.openGate("screen") })
            world.wait(for: workflow)
            world.expectEqual(Set(world.events), ["a", "b"], "W6:")
        }
    }

    func testCancelAgainstStart() {
        explore { [self] world in
            let workflow = TaskWorkflow(name: "launch")
            workflow.addBlockingTasks([task(world, "a")])
            workflow.addTask(task(world, "b"))
            world.together({ workflow.start(context: [:]) }, { workflow.cancel() })
            world.wait(for: workflow)
            world.expect(workflow.state == .finished, "W3: \(workflow.state)")
        }
    }
}
