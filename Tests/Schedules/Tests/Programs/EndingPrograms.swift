import Foundation
import JobKit
import JobKitTesting
import Scheduler

/// The races of a job's end: J7 to J10, J17, O11.
final class EndingPrograms: Programs {
    func testCancelAgainstFinishOfTask() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            world.together(
                {
                    job.cancel()
                    world.expect(task.isCancelled || task.isFinished, "J8: not cancelled")
                },
                { task.finish() }
            )
            world.wait(for: job)
            job.check()
        }
    }

    func testCancelAgainstCancel() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            let cancel = {
                job.cancel()
                world.expect(task.isCancelled || task.isFinished, "J8: not cancelled")
            }
            world.together(cancel, cancel)
            world.wait(for: job)
            job.check()
            world.expectEqual(job.cancelled, 1, "J8: jobCancelled()")
        }
    }

    /// The job stops waiting for a task that was not started before it cancels the task.
    func testCancelAgainstCancelWithAnUnstartedTask() {
        explore { world in
            let task = Witness(world)
            let job = world.script(tracking: task)
            job.start()
            let cancel = {
                job.cancel()
                world.expect(task.isCancelled, "J8: not cancelled")
            }
            world.together(cancel, cancel)
            world.wait(for: job)
            job.check()
        }
    }

    func testCancelAgainstStart() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { $0.trackAndQueue(Witness(world, "a")) }
            world.together({ job.startJob(on: queue) }, { job.cancel() })
            world.wait(for: job)
            job.check()
        }
    }

    func testCancelAgainstTracking() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            world.together({ job.start() }, { job.cancel() })
            world.wait { job.isFinished }
            task.cancel()
            job.check()
        }
    }

    func testCancelAgainstLateTracking() {
        explore { world in
            let queue = world.queue()
            let held = world.held("held", stops: false)
            let late = Witness(world, "late")
            let job = Script(world, queue: queue) { $0.track(held) }
            job.start()
            world.together({ job.cancel() }, { job.trackAndQueue(late) })
            world.expect(late.isCancelled || late.isFinished, "J8: a late task is not cancelled")
            held.finish()
            world.wait(for: job)
            job.check()
            world.expectEqual(job.cancelled, 1, "J8: jobCancelled()")
        }
    }

    func testCancelOfNestedAgainstCancel() {
        explore { world in
            let task = world.held()
            let inner = Script(world, "inner", queue: world.queue()) { $0.track(task) }
            let job = world.script(tracking: inner)
            job.start()
            inner.start()
            world.together(
                { inner.cancel() },
                {
                    job.cancel()
                    world.expect(
                        task.isCancelled || task.isFinished,
                        "J8: the task below is not cancelled"
                    )
                }
            )
            world.wait(for: job)
            job.check()
        }
    }

    func testCancelAgainstFinishEarly() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            world.together({ job.cancel() }, { job.finish() })
            world.wait(for: job)
            job.check()
            world.expect(task.isCancelled, "J9: the task was not cancelled")
        }
    }

    func testFinishEarlyAgainstFinishOfTask() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            world.together({ job.finish() }, { task.finish() })
            world.wait(for: job)
            job.check()
            world.expect(job.outcome?.isSuccess == true, "J9: \(job.outcome as Any)")
        }
    }

    func testFailureAgainstCancel() {
        explore { world in
            let (task, other) = (world.held("fails"), world.held("other"))
            let job = world.script(tracking: [task, other])
            job.start()
            world.together({ task.finish(with: ProgramError()) }, { job.cancel() })
            world.wait(for: job)
            job.check()
            world.expect(other.isCancelled, "J7: the other task was not cancelled")
        }
    }

    func testFailureAgainstFailure() {
        explore { world in
            let tasks = [world.held("a"), world.held("b")]
            let job = world.script(tracking: tasks)
            job.start()
            let fail = { (index: Int) in tasks[index].finish(with: ProgramError()) }
            world.together({ fail(0) }, { fail(1) })
            world.wait(for: job)
            job.check(delivered: 0)
            world.expect(job.error is ProgramError, "J7: \(job.outcome as Any)")
        }
    }

    func testCancelAgainstNextStep() {
        explore { world in
            let queue = world.queue()
            let job = world.steps(on: queue)
            job.startJob(on: queue)
            world.together({ job.cancel() })
            world.wait(for: job)
            job.check()
        }
    }

    func testCancelStartsNothingThatWaited() {
        explore { world in
            let queue = world.queue(1)
            let blocker = Witness(world, "blocker", finishes: false)
            let waiting = Witness(world, "waiting")
            let job = Script(world, queue: queue) { job in
                for task in [blocker, waiting] { job.trackAndQueue(task) }
            }
            job.start()
            world.wait { blocker.isExecuting }
            world.together({ job.cancel() })
            world.wait(for: job)
            world.expectEqual(waiting.entered, 0, "J8: a waiting task entered main()")
        }
    }

    /// The sweep of a job that has timed out is stuck in user code, and a dependency finishes.
    func testTimeoutAgainstFinishOfDependency() {
        final class Slow: ConcurrentOperation, @unchecked Sendable {
            var mayReturn = false
            var isCancelling = false
            let world: World
            init(_ world: World) { self.world = world }
            override func cancel() {
                isCancelling = true
                world.wait { [self] in mayReturn }
                super.cancel()
            }
        }
        explore { world in
            let (queue, clock) = (world.queue(), ManualClock())
            let blocker = Witness(world, "blocker", finishes: false, stops: false)
            let (slow, first) = (Slow(world), Witness(world, "first"))
            first.addDependency(blocker)
            slow.addDependency(blocker)
            var isTracked = false
            let job = Script(world, queue: queue) { job in
                for task in [blocker, slow, first] { job.trackAndQueue(task) }
                isTracked = true
            }
            (job.clock, job.maximumRuntime) = (clock, .seconds(5))
            job.startJob(on: queue)
            world.settle { blocker.isExecuting && clock.nextDeadline != nil && isTracked }
            world.together({ clock.advance(by: .seconds(5)) })
            world.wait { slow.isCancelling || slow.isFinished }
            world.together({ blocker.finish() })
            world.wait(for: first)
            world.expectEqual(first.entered, 0, "J8: a waiting task entered main()")
            slow.mayReturn = true
            world.wait(for: job)
        }
    }

    func testSharedTaskAgainstTwoEnds() {
        explore { world in
            let task = world.held()
            let jobs = ["a", "b"]
                .map { name in
                    Script(world, name, queue: world.queue()) { $0.track(task) }
                }
            for job in jobs { job.start() }
            world.together({ jobs[0].cancel() }, { jobs[1].finish() })
            world.wait(for: jobs[0], jobs[1])
            world.expect(task.isCancelled, "J17: both jobs have left it to the other")
            task.finish()
        }
    }

    func testSharedTaskOutlivesOneJob() {
        explore { world in
            let task = world.held()
            let jobs = ["a", "b"]
                .map { name in
                    Script(world, name, queue: world.queue()) { $0.track(task) }
                }
            jobs[0].start()
            world.together({ jobs[1].start() }, { jobs[0].cancel() })
            world.wait(for: jobs[0])
            task.finish()
            world.wait(for: jobs[1])
            jobs[1].check(delivered: 1)
        }
    }

    func testSharedTaskIsNotCancelledByOneJob() {
        explore { world in
            let task = world.held()
            let jobs = ["a", "b"].map { world.script($0, tracking: task) }
            for job in jobs { job.start() }
            world.together({ jobs[0].cancel() }, { jobs[1].isSuspended = true })
            world.wait(for: jobs[0])
            world.expect(!task.isCancelled, "J17: cancelled although another job waits for it")
            jobs[1].isSuspended = false
            task.finish()
            world.wait(for: jobs[1])
            jobs[1].check(delivered: 1)
        }
    }

    func testCancelOfManyTasks() {
        explore { world in
            let below = world.held("below")
            let inner = world.script("inner", tracking: below)
            let tasks = (0..<4).map { world.held("\($0)") }
            let job = world.script(tracking: [inner] + tasks)
            job.start()
            inner.start()
            world.together(
                {
                    job.cancel()
                    for task in tasks + [below] {
                        world.expect(task.isCancelled || task.isFinished, "J8: \(task.title)")
                    }
                },
                { tasks[0].finish() }
            )
            world.wait(for: job, inner)
            job.check()
        }
    }

    func testNeverStartedJobIsFreed() {
        explore { world in
            let job = JobController(name: "job", queue: world.queue())
            job.track(Witness(world, "a")) { _ in _ = job }
            world.mustBeFreed(job, "the job")
            world.together(
                { job.perform(after: .zero) { _ = job } },
                { job.cancel() }
            )
        }
    }

    func testLeftTaskAgainstItsFinish() {
        explore { world in
            let task = world.held(stops: false)
            let job = Script(world, queue: world.queue()) { job in
                job.track(task, cancellation: .cancelWithoutWaiting)
            }
            job.start()
            world.together({ job.cancel() }, { task.finish() })
            world.wait(for: job)
            job.check()
        }
    }

    func testStopTimeAgainstFinishOfTask() {
        explore { world in
            let clock = ManualClock()
            let task = world.held(stops: false)
            let job = world.script(tracking: task)
            (job.clock, job.maximumStopTime) = (clock, .seconds(5))
            job.start()
            job.cancel()
            world.settle { clock.nextDeadline != nil }
            world.together({ clock.advance(by: .seconds(5)) }, { task.finish() })
            world.wait(for: job)
            job.check()
            world.expectEqual(job.cancelled, 1, "O11: jobCancelled()")
        }
    }

    func testResumeAgainstCancel() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            job.isSuspended = true
            world.together({ job.isSuspended = false }, { job.cancel() })
            world.wait(for: job)
            job.check()
            world.expectEqual(job.cancelled, 1, "J14: jobCancelled()")
        }
    }
}
