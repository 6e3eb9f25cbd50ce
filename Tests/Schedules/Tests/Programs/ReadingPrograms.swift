import Foundation
import JobKit
import JobKitTesting
import Scheduler

/// The races of code that reads or observes while a job runs: R2 to R5, D2, JobKitTesting.
final class ReadingPrograms: Programs {
    func testTwoThreadsReadTheProgressFirst() {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            job.start()
            var all: [Progress] = []
            let read = { all.append(job.progress) }
            world.together(read, read, { task.finish() })
            world.wait(for: job)
            world.expect(all[0] === all[1], "R3: two objects")
            world.expectEqual(all[0].fractionCompleted, 1, "R3: the fraction")
        }
    }

    /// Explores a job that has begun, and whose progress was read before.
    private func exploreProgress(
        _ program: @escaping (World, Witness, Script, Progress) -> Void
    ) {
        explore { world in
            let task = world.held()
            let job = world.script(tracking: task)
            let progress = job.progress
            job.start()
            program(world, task, job, progress)
        }
    }

    func testReportedProgressAgainstFinish() {
        exploreProgress { world, task, job, progress in
            world.together(
                { for fraction in [0.25, 0.5] { task.reportProgress(fraction) } },
                { task.finish() }
            )
            world.wait(for: job)
            world.expectEqual(progress.fractionCompleted, 1, "R3: the fraction")
        }
    }

    func testSuccessHasAFractionOfOne() {
        exploreProgress { world, task, job, progress in
            world.together(
                { task.finish() },
                {
                    world.wait { job.isFinished }
                    world.expectEqual(progress.fractionCompleted, 1, "R3: the fraction")
                }
            )
        }
    }

    func testTimelineAgainstEvents() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { job in
                for name in ["a", "b"] { job.trackAndQueue(Witness(world, name)) }
            }
            let recorder = TimelineRecorder()
            job.addObserver(recorder)
            world.together(
                { job.startJob(on: queue) },
                {
                    let entries = recorder.timeline.entries
                    world.expect(entries.allSatisfy { $0.start <= $0.end }, "R5: \(entries)")
                }
            )
            world.wait(for: job)
            let entries = recorder.timeline.entries
            world.expectEqual(entries.count, 3, "R6: entries")
        }
    }

    /// The observer cancels the job in the middle of an event.
    func testObserverThatCancels() {
        final class Canceller: JobObserver, @unchecked Sendable {
            private let kind: JobEvent.Kind
            init(_ kind: JobEvent.Kind) { self.kind = kind }
            func job(_ job: JobController, didRecord event: JobEvent) {
                if event.kind == kind, event.parentID != nil { job.cancel() }
            }
        }
        for kind in [JobEvent.Kind.tracked, .finished] {
            explore { world in
                let queue = world.queue()
                let task = world.held("held")
                let job = Script(world, queue: queue) { job in
                    job.track(task)
                    job.trackAndQueue(Witness(world, "queued"))
                }
                let watcher = Watcher(world)
                job.addObserver(watcher)
                job.addObserver(Canceller(kind))
                world.together({ job.startJob(on: queue) }, { task.finish() })
                world.wait { watcher.hasEnded }
                watcher.check()
                world.wait(for: job)
                job.check()
            }
        }
    }

    func testUpdatesAgainstNeed() {
        explore { world in
            let decisions = LaunchDecisions(priority: ["item"])
            world.spawnTask("reads") {
                for await need in decisions.updates(for: "item") where need == .needed {
                    return world.record("needed")
                }
            }
            world.together({ decisions.set(.needed, for: "item") })
            world.expectEqual(world.count("needed"), 1, "D2: the update")
        }
    }

    func testSleeperAgainstAdvance() {
        explore { world in
            let clock = ManualClock()
            let deadline = clock.now.advanced(by: .seconds(2))
            world.spawnTask("sleeps") {
                try? await clock.sleep(until: deadline)
                world.expect(clock.now >= deadline, "woken too early")
            }
            world.together(
                { clock.advance(by: .seconds(1)) },
                { clock.advance(by: .seconds(3)) }
            )
        }
    }

    func testGateAgainstWaits() {
        explore { world in
            let gate = Gate()
            world.spawnTask("waits") { await gate.waitUntilOpen() }
            world.together({ gate.open() })
            world.expect(gate.isOpen, "the gate is closed")
        }
    }
}
