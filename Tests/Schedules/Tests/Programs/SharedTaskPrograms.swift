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
}
