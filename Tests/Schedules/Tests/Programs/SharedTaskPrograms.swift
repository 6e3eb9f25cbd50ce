import Foundation
import JobKit
import JobKitTesting
import Scheduler

/// The races of a task that an observed job and a job below it share: R2, J17, O8.
final class SharedTaskPrograms: Programs {
    /// Limits of time that pass at once.
    private enum Limited { case job, inner, task, all }

    /// Explores the end of a job that shares a task with a job below it.
    private func exploreEnd(
        _ limited: Limited,
        _ cancellation: TaskCancellation = .cancelAndWait,
        finishes: Bool = true
    ) {
        explore { world in
            let queue = world.queue()
            let task = Witness(world, "shared", finishes: finishes)
            let inner = Script(world, "inner", queue: queue) { $0.track(task) }
            let job = Script(world, queue: queue) { job in
                job.trackAndQueue(task)
                job.trackAndQueue(inner, cancellation: cancellation)
            }
            let watcher = Watcher(world)
            job.addObserver(watcher)
            if limited == .job || limited == .all { job.maximumRuntime = .nanoseconds(1) }
            if limited == .inner || limited == .all { inner.maximumRuntime = .nanoseconds(1) }
            if limited == .task || limited == .all { task.maximumRuntime = .nanoseconds(1) }
            job.startJob(on: queue)
            if !finishes { world.together({ task.finish() }) }
            world.wait(for: job)
            world.wait { watcher.hasEnded }
            watcher.check()
            // It may have been left running, or never have been queued.
            if inner.isExecuting { world.wait(for: inner) }
        }
    }

    func testTimeoutOfJobAgainstFinishOfTask() { exploreEnd(.job) }

    func testTimeoutOfJobBelowAgainstFinishOfTask() { exploreEnd(.inner) }

    func testTimeoutOfTaskAgainstFinishOfTask() { exploreEnd(.task, finishes: false) }

    func testAllTimeoutsAtOnce() { exploreEnd(.all, finishes: false) }

    func testTimeoutOfJobThatLeavesTheJobBelow() { exploreEnd(.job, .leaveRunning) }

    func testTimeoutOfJobThatDoesNotWaitForTheJobBelow() {
        exploreEnd(.job, .cancelWithoutWaiting, finishes: false)
    }

    func testTimeoutsOfBothJobsThatDoNotWait() { exploreEnd(.all, .cancelWithoutWaiting) }

    /// Explores a chain of jobs, each of which shares a task with the one below it.
    private func exploreChain(limited level: Int, finishes: Bool) {
        explore { world in
            let queue = world.queue()
            let tasks = ["1", "2"].map { Witness(world, $0, finishes: finishes) }
            let last = Script(world, "last", queue: queue) { $0.track(tasks[1]) }
            let middle = Script(world, "middle", queue: queue) { job in
                job.track(tasks[0])
                job.trackAndQueue(tasks[1])
                job.trackAndQueue(last)
            }
            let job = Script(world, queue: queue) { job in
                job.trackAndQueue(tasks[0])
                job.trackAndQueue(middle)
            }
            let watcher = Watcher(world)
            job.addObserver(watcher)
            [job, middle, last][level].maximumRuntime = .nanoseconds(1)
            job.startJob(on: queue)
            if !finishes { world.together({ tasks[0].finish() }, { tasks[1].finish() }) }
            world.wait(for: job)
            world.wait { watcher.hasEnded }
            watcher.check()
        }
    }

    func testTimeoutOfTheFirstJobOfAChain() { exploreChain(limited: 0, finishes: true) }

    func testTimeoutOfTheMiddleJobOfAChain() { exploreChain(limited: 1, finishes: true) }

    func testTimeoutOfTheLastJobOfAChain() { exploreChain(limited: 2, finishes: false) }

    /// Two observed jobs, of which one times out.
    func testTimeoutAgainstFinishOfTaskOfTwoObservedJobs() {
        explore { world in
            let (queue, clock) = (world.queue(), ManualClock())
            let task = world.held("shared")
            let jobs = ["a", "b"].map { world.script($0, tracking: task) }
            let watchers = jobs.map { job in
                let watcher = Watcher(world)
                job.addObserver(watcher)
                return watcher
            }
            (jobs[0].clock, jobs[0].maximumRuntime) = (clock, .seconds(5))
            jobs[0].start()
            world.settle { clock.nextDeadline != nil }
            world.together(
                { clock.advance(by: .seconds(5)) },
                { jobs[1].startJob(on: queue) },
                { task.finish() }
            )
            world.wait { watchers.allSatisfy(\.hasEnded) }
            for watcher in watchers { watcher.check() }
        }
    }

    /// Two jobs pass the same observer on to a job that both track.
    func testJobOfTwoObservedJobsAgainstCancel() {
        explore { world in
            let task = world.held("task")
            let inner = world.script("inner", tracking: task)
            let jobs = ["a", "b"].map { world.script($0, tracking: inner) }
            let root = world.script("root", tracking: jobs)
            let watcher = Watcher(world)
            root.addObserver(watcher)
            root.start()
            jobs[0].start()
            inner.start()
            world.together({ jobs[1].start() }, { jobs[0].cancel() })
            world.together({ task.finish() })
            world.wait { watcher.hasEnded }
            watcher.check()
        }
    }

    /// An observer is added after a task has finished, and before its callbacks are called.
    func testSecondObserverAgainstDelivery() {
        explore { world in
            let task = world.held()
            let inner = world.script("inner", tracking: task)
            let jobs = ["a", "b"].map { world.script($0, tracking: inner) }
            let watchers = jobs.map { job in
                let watcher = Watcher(world)
                job.addObserver(watcher)
                return watcher
            }
            jobs[0].start()
            inner.start()
            world.together({ task.finish() }, { jobs[1].start() })
            world.wait { watchers.allSatisfy(\.hasEnded) }
            for watcher in watchers { watcher.check() }
        }
    }

    /// A job tracks another one that runs, while its own job leaves it.
    func testTrackOfARunningJobAgainstDrop() {
        explore { world in
            let task = world.held()
            let below = world.script("below", tracking: task)
            let inner = world.script("inner", tracking: below)
            inner.start()
            below.start()
            let middle = world.script("middle", tracking: inner)
            let job = Script(world, queue: world.queue()) { job in
                job.track(middle, cancellation: .leaveRunning)
            }
            let watcher = Watcher(world)
            job.addObserver(watcher)
            job.start()
            world.together({ middle.start() }, { job.cancel() })
            world.wait { watcher.hasEnded }
            watcher.check()
            task.finish()
            world.wait(for: middle)
        }
    }
}
