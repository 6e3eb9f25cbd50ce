import Foundation
import JobKit
import Scheduler
import XCTest

/// Checks the order of events (R2).
private final class Watcher: JobObserver, @unchecked Sendable {
    private let world: World
    private let root: JobController
    private var open: [Int: Int?] = [:]
    private(set) var hasEnded = false
    private(set) var kinds: [JobEvent.Kind] = []

    init(_ world: World, _ root: JobController) { (self.world, self.root) = (world, root) }

    func job(_ job: JobController, didRecord event: JobEvent) {
        world.expect(!hasEnded, "R2: \(event.kind) of \(event.name) after the own .finished")
        world.point()
        if event.parentID == nil {
            if event.kind == .finished { hasEnded = true }
            return
        }
        kinds.append(event.kind)
        switch event.kind {
        case .tracked: open[event.operationID] = .some(event.parentID)
        case .finished: open[event.operationID] = nil
        case .dropped:
            // Counts for everything below the operation.
            open = open.filter { $0.key != event.operationID && $0.value != event.operationID }
        default: break
        }
    }

    func check() {
        world.expect(hasEnded, "R2: no .finished of the job")
        world.expect(open.isEmpty, "R2: .tracked without an end: \(open)")
    }
}

/// The races of observers, progress, reports and retries: R1 to R4.
final class ObserverPrograms: Programs {
    func testAddObserverAgainstTask() {
        explore { world in
            let task = Witness(world, finishes: false)
            task.start()
            let job = Script(world, queue: world.queue()) { $0.track(task) }
            let watcher = Watcher(world, job)
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
            let watcher = Watcher(world, job)
            job.addObserver(watcher)
            world.together({ job.start() }, { inner.start() })
            world.wait { watcher.hasEnded }
            watcher.check()
        }
    }

    func testDeliveredBeforeOwnFinish() {
        explore { world in
            let queue = world.queue()
            let task = Witness(world, finishes: false)
            task.start()
            let inner = Script(world, "inner", queue: queue) { $0.track(task) }
            let job = Script(world, queue: queue) { job in
                job.track(inner, cancellation: .leaveRunning)
            }
            let watcher = Watcher(world, job)
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
            let task = Witness(world, finishes: false)
            task.start()
            let job = Script(world, queue: world.queue()) { $0.track(task) }
            let watcher = Watcher(world, job)
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
            let task = Witness(world, finishes: false)
            task.start()
            let job = Script(world, queue: world.queue()) { $0.track(task) }
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
            let task = Witness(world, finishes: false)
            task.start()
            let job = Script(world, queue: world.queue()) { $0.track(task) }
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
            let tasks = [
                Witness(world, "a", finishes: false), Witness(world, "b", finishes: false),
            ]
            for task in tasks { task.start() }
            let job = Script(world, queue: world.queue()) { job in
                for task in tasks { job.track(task) }
            }
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
                { world.expect(job.snapshot().unfinished.count <= 1, "R4: too many") }
            )
            world.wait(for: job)
        }
    }

    func testRetryAgainstCancel() {
        explore { world in
            let retry = RetryOperation(
                .exponential(attempts: 2, initialDelay: .seconds(1), jitter: 0)
            ) { number -> ClosureOperation<Void> in
                ClosureOperation(name: "attempt \(number)") {
                    world.record("attempt")
                    throw ProgramError()
                }
            }
            world.queue().addOperation(retry)
            world.together({ retry.cancel() })
            world.wait(for: retry)
            world.expect(world.count("attempt") <= 2, "R1: too many attempts")
        }
    }

    func testRetryNowAgainstFailure() {
        explore { world in
            let retry = RetryOperation(
                .exponential(attempts: 2, initialDelay: .seconds(1), jitter: 0)
            ) { number -> ClosureOperation<Void> in
                ClosureOperation(name: "attempt \(number)") {
                    world.record("attempt")
                    if number == 1 { throw ProgramError() }
                }
            }
            world.together({ world.queue().addOperation(retry) }, { retry.retryNow() })
            world.wait(for: retry)
            world.expectEqual(world.count("attempt"), 2, "R1:")
            world.expect(retry.outcome?.isSuccess == true, "R1: \(retry.outcome as Any)")
        }
    }
}
