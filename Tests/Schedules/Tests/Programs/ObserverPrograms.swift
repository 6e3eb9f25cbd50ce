import Foundation
import JobKit
import Scheduler
import XCTest

/// The races of observers, progress, reports and retries: R1 to R4.
final class ObserverPrograms: Programs {
    func testAddObserverAgainstTask() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            let watcher = Watcher(world)
            world.together(
                { job.addObserver(watcher) },
                {
                    job.start()
                    task.finish()
                }
            )
            world.wait(for: job)
            if watcher.kinds.contains(.tracked) {
                world.wait { watcher.hasEnded }
                watcher.check()
            }
        }
    }

    func testNestedTaskAgainstObserver() {
        explore { world in
            let queue = world.queue()
            let inner = Script(world, "inner", queue: queue) {
                $0.trackAndQueue(Witness(world, "a"))
            }
            let job = Script(world, queue: queue) { $0.track(inner) }
            let watcher = Watcher(world)
            job.addObserver(watcher)
            world.together({ job.start() }, { inner.start() })
            world.wait { watcher.hasEnded }
            watcher.check()
        }
    }

    func testDeliveredBeforeOwnFinish() {
        explore { world in
            let queue = world.queue()
            let task = world.held()
            let inner = Script(world, "inner", queue: queue) { $0.track(task) }
            let job = Script(world, queue: queue) { job in
                job.track(inner, cancellation: .leaveRunning)
            }
            let watcher = Watcher(world)
            job.addObserver(watcher)
            job.start()
            inner.start()
            world.together({ task.finish() }, { job.finish() })
            world.wait(for: inner)
            world.wait { watcher.hasEnded }
            watcher.check()
        }
    }

    func testObserverAgainstCancel() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            let watcher = Watcher(world)
            job.addObserver(watcher)
            world.together({ job.start() }, { job.cancel() })
            world.wait { job.isFinished }
            task.cancel()
            world.wait { watcher.hasEnded }
            watcher.check()
        }
    }

    func testRemoveObserverAgainstFinishOfTask() {
        final class Counter: JobObserver, @unchecked Sendable {
            var isRemoved = false
            let world: World
            init(_ world: World) { self.world = world }
            func job(_ job: JobController, didRecord event: JobEvent) {
                world.record("\(event.kind)")
            }
        }
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            let counter = Counter(world)
            job.addObserver(counter)
            job.start()
            world.together({ job.removeObserver(counter) }, { task.finish() })
            world.wait(for: job)
            world.expect(world.count("finished") <= 2, "R2: doubled")
        }
    }

    func testEventsStreamAgainstFinish() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            world.spawnTask("reads") {
                var last = -1
                for await event in job.events() {
                    world.expect(event.index == last + 1, "R2: index \(event.index as Any)")
                    last = event.index ?? last
                }
            }
            world.together({ task.finish() })
            world.wait(for: job)
        }
    }

    func testProgressAgainstDelivery() {
        explore { world in
            let tasks = ["a", "b"].map { world.held($0) }
            let job = world.script(tracking: tasks)
            let progress = job.progress
            job.start()
            var fractions = [0.0]
            let look = { fractions.append(progress.fractionCompleted) }
            world.together(
                { for task in tasks { task.finish() } },
                {
                    look()
                    look()
                }
            )
            world.wait(for: job)
            look()
            world.expect(fractions == fractions.sorted(), "R3: \(fractions)")
            world.expect(fractions.last == 1, "R3: succeeded at \(fractions)")
        }
    }

    func testExplainStallAgainstFinish() {
        explore { world in
            let queue = world.queue(1)
            let job = Script(world, queue: queue) { job in
                for name in ["a", "b"] { job.trackAndQueue(Witness(world, name)) }
            }
            world.together(
                { queue.addOperation(job) },
                {
                    let text = job.explainStall()
                    world.expect(text.contains("job"), "R4: \(text)")
                }
            )
            world.wait(for: job)
        }
    }

    func testSnapshotAgainstCancel() {
        explore { world in
            let queue = world.queue(1)
            let job = Script(world, queue: queue) { $0.trackAndQueue(Witness(world, "a")) }
            queue.addOperation(job)
            world.together(
                { job.cancel() },
                {
                    let snapshot = job.snapshot()
                    world.expect(snapshot.unfinished.count <= 1, "R4: too many")
                    world.expect(snapshot.failedCount <= snapshot.finishedCount, "R4: failed")
                }
            )
            world.wait(for: job)
        }
    }

    func testExplainStallAgainstDeliveryElsewhere() {
        explore { world in
            let login = world.held("login")
            let fetch = Witness(world, "fetch")
            fetch.addDependency(login)
            let session = world.script("session", tracking: login)
            let job = world.script("import", tracking: fetch)
            session.start()
            job.start()
            world.together(
                { login.finish() },
                {
                    let text = job.explainStall()
                    world.expect(text.contains("fetch"), "R4: \(text)")
                }
            )
            world.wait(for: session)
            job.cancel()
        }
    }

    func testRetryAgainstCancel() {
        explore { world in
            let retry = world.retry(succeedingAt: 3)
            world.queue().addOperation(retry)
            world.together({ retry.cancel() })
            world.wait(for: retry)
            world.expect(world.count("attempt") <= 2, "R1: too many attempts")
        }
    }

    func testRetryNowAgainstFailure() {
        explore { world in
            let retry = world.retry(succeedingAt: 2)
            world.together({ world.queue().addOperation(retry) }, { retry.retryNow() })
            world.wait(for: retry)
            world.expectEqual(world.count("attempt"), 2, "R1:")
            world.expect(retry.outcome?.isSuccess == true, "R1: \(retry.outcome as Any)")
        }
    }
}
