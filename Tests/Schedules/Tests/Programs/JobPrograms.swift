import Foundation
import JobKit
import JobKitTesting
import Scheduler

/// The races of tracking and delivery: J1 to J6, J14 and J15.
final class JobPrograms: Programs {
    func testTrackAgainstFinishOfTask() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            world.together({ job.start() }, { task.finish() })
            world.wait(for: job)
            job.check(delivered: 1)
            world.expectEqual(job.emptied, 1, "J4: allTasksFinished()")
        }
    }

    func testTwoTasksFinish() {
        explore { world in
            let tasks = ["a", "b"].map { world.held($0) }
            let job = world.script(tracking: tasks)
            job.start()
            world.together({ tasks[0].finish() }, { tasks[1].finish() })
            world.wait(for: job)
            job.check(delivered: 2)
        }
    }

    func testDeliveriesComeInTheOrderOfFinishes() {
        explore { world in
            let tasks = ["0", "1", "2"].map { world.held($0) }
            let job = world.script(tracking: tasks)
            job.start()
            world.together(
                {
                    tasks[0].finish()
                    tasks[1].finish()
                },
                { tasks[2].finish() }
            )
            world.wait(for: job)
            let order = job.delivered.filter { $0 != "2" }
            world.expectEqual(order, ["0", "1"], "J2:")
        }
    }

    func testNextStepAgainstFinishOfAnotherTask() {
        explore { world in
            let held = world.held("held")
            let job = world.steps(on: world.queue(), tracking: held)
            world.together({ job.start() }, { held.finish() })
            world.wait(for: job)
            job.check(delivered: 3)
        }
    }

    func testTaskOnQueueAgainstMain() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { job in
                for name in ["a", "b"] { job.trackAndQueue(Witness(world, name)) }
            }
            job.startJob(on: queue)
            world.wait(for: job)
            job.check(delivered: 2)
        }
    }

    func testJobWithoutTasksAgainstReport() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { _ in }
            world.together({ job.startJob(on: queue) }, { _ = job.explainStall() })
            world.wait(for: job)
            job.check(delivered: 0)
            world.expectEqual(job.emptied, 1, "J4: allTasksFinished()")
        }
    }

    func testMoreTasksAfterTheLastOne() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { $0.trackAndQueue(Witness(world, "first")) }
            job.onAllFinished = { job in
                if job.emptied == 1 { job.trackAndQueue(Witness(world, "second")) }
            }
            world.together({ job.startJob(on: queue) })
            world.wait(for: job)
            job.check(delivered: 2)
            world.expectEqual(job.emptied, 2, "J4: allTasksFinished()")
        }
    }

    /// A job with a context is tracked by another one while a third one tracks it, too.
    func testContextAgainstTracking() {
        enum Path { @TaskLocal static var text = "" }
        func bind(_ name: String, _ job: JobController) {
            job.setContext { body in Path.$text.withValue(Path.text + name) { body() } }
        }
        explore { world in
            let queue = world.queue()
            let inner = Script(world, "inner", queue: queue) { _ in world.record(Path.text) }
            let job = Script(world, queue: queue) { $0.trackAndQueue(inner) }
            let other = world.script("other", tracking: inner)
            bind("a", job)
            bind("b", inner)
            world.together({ job.startJob(on: queue) }, { other.start() })
            world.wait(for: job, other)
            world.expectEqual(world.events, ["ab"], "J16: the context")
        }
    }

    func testGroupsAgainstFinishes() {
        explore { world in
            let tasks = ["a", "b"].map { world.held($0) }
            let job = Script(world, queue: world.queue()) { job in
                for task in tasks { job.track(task, group: .named("all")) }
                job.setCompletion(for: .named("all")) { world.record("group") }
            }
            job.start()
            world.together({ tasks[0].finish() }, { tasks[1].finish() })
            world.wait(for: job)
            world.expectEqual(world.count("group"), 1, "J2: the group's completion")
        }
    }

    func testGroupCompletionAgainstFinish() {
        explore { world in
            let task = world.held()
            let job = Script(world, queue: world.queue()) { job in
                job.track(task, group: .named("all"))
            }
            job.isSuspended = true
            job.start()
            world.together(
                {
                    job.setCompletion(for: .named("all")) { world.record("group") }
                    job.isSuspended = false
                },
                { task.finish() }
            )
            world.wait(for: job)
            world.expectEqual(world.count("group"), 1, "J2: the group's completion")
        }
    }

    func testSuspendAgainstFinishOfTask() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            world.together(
                {
                    job.isSuspended = true
                    job.isSuspended = false
                },
                { task.finish() }
            )
            world.wait(for: job)
            job.check(delivered: 1)
        }
    }

    func testSuspendedJobHoldsStill() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            job.isSuspended = true
            world.together({ task.finish() })
            world.settle { task.isFinished }
            world.expect(job.delivered.isEmpty, "J14: a callback of a suspended job")
            job.isSuspended = false
            world.wait(for: job)
            job.check(delivered: 1)
        }
    }

    func testResumeAgainstFinishOfTask() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            job.isSuspended = true
            world.together({ job.isSuspended = false }, { task.finish() })
            world.wait(for: job)
            job.check(delivered: 1)
        }
    }

    func testGroupLimit() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { job in
                job.setMaxConcurrentOperationCount(1, for: .named("one"))
                for number in 0..<3 {
                    let task = Counted(world, "group", limit: 1, name: "\(number)")
                    job.trackAndQueue(task, group: .named("one"))
                }
            }
            job.startJob(on: queue)
            world.wait(for: job)
            job.check(delivered: 3)
        }
    }

    func testGroupLimitRaisedAgainstFinish() {
        explore { world in
            let queue = world.queue()
            let held = Witness(world, "held", finishes: false)
            let job = Script(world, queue: queue) { job in
                job.setMaxConcurrentOperationCount(1, for: .named("one"))
                job.trackAndQueue(held, group: .named("one"))
                job.trackAndQueue(Witness(world, "next"), group: .named("one"))
            }
            job.startJob(on: queue)
            world.wait { held.isExecuting }
            world.together(
                { job.setMaxConcurrentOperationCount(2, for: .named("one")) },
                { held.finish() }
            )
            world.wait(for: job)
            job.check(delivered: 2)
        }
    }

    func testPerformAfterAgainstEnd() {
        explore { world in
            let clock = ManualClock()
            let task = world.held()
            let job = Script(world, queue: world.queue()) { job in
                job.track(task)
                job.perform(after: .seconds(1)) { [unowned job] in
                    world.expect(!job.isFinished, "J1: a callback after the finish")
                    world.section("callbacks of job")
                }
            }
            job.clock = clock
            job.start()
            world.settle { clock.nextDeadline != nil }
            world.together({ clock.advance(by: .seconds(1)) }, { task.finish() })
            world.wait(for: job)
            job.check(delivered: 1)
        }
    }

    func testCallbackQueueAgainstFinishes() {
        explore { world in
            let tasks = ["a", "b"].map { world.held($0) }
            let job = JobController(
                name: "job",
                queue: world.queue(),
                callbackQueue: DispatchQueue(label: "callbacks")
            )
            for task in tasks { job.track(task) { _ in world.section("callbacks") } }
            job.start()
            world.together({ tasks[0].finish() }, { tasks[1].finish() })
            world.wait(for: job)
        }
    }

    func testTrackBeforeStartAgainstStart() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { _ in }
            job.trackAndQueue(Witness(world, "a"))
            world.together({ job.startJob(on: queue) })
            world.wait(for: job)
            job.check(delivered: 1)
        }
    }

    func testTrackAgainstStart() {
        explore { world in
            let queue = world.queue(1)
            let job = Script(world, queue: queue) { _ in }
            for name in ["1", "2"] { job.trackAndQueue(Witness(world, name)) }
            let open = world.held("open")
            job.track(open)
            world.together(
                { job.start() },
                { job.trackAndQueue(Witness(world, "3")) }
            )
            open.finish()
            world.wait(for: job)
            job.check(delivered: 4)
            let order = world.events.filter { $0 != "open began" }
            world.expectEqual(order, ["1 began", "2 began", "3 began"], "J4: in the order")
        }
    }

    func testJobAndTasksAreFreed() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { job in
                let task = Witness(world, "a")
                world.mustBeFreed(task, "the task")
                job.trackAndQueue(task)
            }
            world.mustBeFreed(job, "the job")
            job.startJob(on: queue)
            world.wait(for: job)
        }
    }
}
