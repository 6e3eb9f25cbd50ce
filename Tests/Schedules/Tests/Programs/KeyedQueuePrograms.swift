import Foundation
import JobKit
import Scheduler

/// The races of `KeyedQueue`: X1 to X5, X8.
final class KeyedQueuePrograms: Programs {
    private func held(_ world: World, in queue: KeyedQueue<String>) -> Witness {
        let held = Witness(world, "held", finishes: false)
        queue.addOperation(held, keys: ["a"])
        world.wait { held.isExecuting }
        return held
    }

    func testTwoOperationsOfOneKey() {
        explore { world in
            let queue = KeyedQueue<String>(world.queue())
            let operations = ["1", "2"].map { Counted(world, "a", limit: 1, name: $0) }
            world.together(
                { queue.addOperation(operations[0], keys: ["a"]) },
                { queue.addOperation(operations[1], keys: ["a"]) }
            )
            world.wait(for: operations[0], operations[1])
            world.settle { queue.operationCount == 0 }
        }
    }

    func testTwoKeysInAnotherOrder() {
        explore { world in
            let queue = KeyedQueue<String>(world.queue())
            let operations = ["1", "2"].map { Counted(world, "ab", limit: 1, name: $0) }
            world.together(
                { queue.addOperation(operations[0], keys: ["a", "b"]) },
                { queue.addOperation(operations[1], keys: ["b", "a"]) }
            )
            world.wait(for: operations[0], operations[1])
        }
    }

    func testFinishOfHolderAgainstAdd() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let (held, next) = (held(world, in: queue), Witness(world, "next"))
            world.together({ held.finish() }, { queue.addOperation(next, keys: ["a"]) })
            world.wait(for: next)
            next.check()
        }
    }

    func testCancelOfWaiterAgainstFinishOfHolder() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let held = held(world, in: queue)
            let (waiting, last) = (Witness(world, "waiting"), Witness(world, "last"))
            for operation in [waiting, last] { queue.addOperation(operation, keys: ["a"]) }
            world.together({ held.finish() }, { waiting.cancel() })
            world.wait(for: waiting, last)
            world.expectEqual(last.entered, 1, "X3: the successor")
        }
    }

    func testReplaceAgainstFinishOfHolder() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let held = held(world, in: queue)
            let (old, new) = (Witness(world, "old"), Witness(world, "new"))
            queue.addOperation(old, keys: ["a"])
            world.together(
                { held.finish() },
                { queue.addOperation(new, keys: ["a"], duplicates: .replace) }
            )
            world.wait(for: old, new)
            world.expectEqual(new.entered, 1, "X5: the new one")
        }
    }

    func testKeepAgainstStartOfWaiter() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let held = held(world, in: queue)
            let (old, new) = (Witness(world, "old"), Witness(world, "new"))
            queue.addOperation(old, keys: ["a"])
            var stays: Operation?
            world.together(
                { held.finish() },
                { stays = queue.addOperation(new, keys: ["a"], duplicates: .keep) }
            )
            world.wait(for: old, new)
            world.expect(stays === old || new.entered == 1, "X5: neither stays")
        }
    }

    func testJoinAgainstFinishOfHolder() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let (held, new) = (held(world, in: queue), Witness(world, "new"))
            var stays: Operation?
            world.together(
                { held.finish() },
                { stays = queue.addOperation(new, keys: ["a"], duplicates: .join) }
            )
            world.wait(for: held, new)
            world.expectEqual(new.entered, stays === new ? 1 : 0, "X5: the new one")
        }
    }

    func testJobLendsItsKey() {
        explore { world in
            let below = world.queue()
            let queue = KeyedQueue<String>(below)
            let job = Script(world, queue: below) { job in
                for name in ["1", "2"] {
                    job.trackAndQueue(
                        Counted(world, "a", limit: 1, name: name),
                        on: queue.keyed("a")
                    )
                }
            }
            queue.addOperation(job, keys: ["a"])
            world.wait(for: job)
            job.check(delivered: 2)
        }
    }

    func testLentKeyAgainstAnotherHolder() {
        explore { world in
            let below = world.queue()
            let queue = KeyedQueue<String>(below)
            let other = Witness(world, "other")
            let job = Script(world, queue: below) { job in
                job.trackAndQueue(Witness(world, "task"), on: queue.keyed("a"))
            }
            world.together(
                { queue.addOperation(job, keys: ["a"]) },
                { queue.addOperation(other, keys: ["a"]) }
            )
            world.wait(for: job, other)
        }
    }

    func testTaskIsTrackedWhileItIsAdded() {
        explore { world in
            let queue = KeyedQueue<String>(world.queue())
            let task = Witness(world)
            let job = world.script(tracking: task)
            queue.addOperation(job, keys: ["a"])
            world.together({ queue.addOperation(task, keys: ["a"]) })
            world.wait(for: job, task)
        }
    }

    func testPlacesOfJobs() {
        explore { world in
            let below = world.queue()
            let queue = KeyedQueue<String>(below, maxConcurrentOperationCount: 1)
            let jobs = ["a", "b"]
                .map { name in
                    Script(world, name, queue: below) { job in
                        job.trackAndQueue(Witness(world, "task"), on: queue.keyed("\(name) task"))
                    }
                }
            world.together(
                { queue.addOperation(jobs[0], keys: ["a"]) },
                { queue.addOperation(jobs[1], keys: ["b"]) }
            )
            world.wait(for: jobs[0], jobs[1])
        }
    }

    func testResumeAgainstAdd() {
        explore { world in
            let queue = KeyedQueue<String>(world.queue())
            queue.isSuspended = true
            let operation = Witness(world)
            world.together(
                { queue.isSuspended = false },
                { queue.addOperation(operation, keys: ["a"]) }
            )
            world.wait(for: operation)
        }
    }

    func testCancelOfKeyAgainstAdd() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let (held, waiting) = (held(world, in: queue), Witness(world, "waiting"))
            world.together(
                { queue.cancelOperations(for: "a") },
                { queue.addOperation(waiting, keys: ["a"]) }
            )
            world.wait(for: held, waiting)
            world.expect(held.isCancelled, "X3: the holder")
        }
    }

    func testWaitForAllAgainstFinishOfHolder() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let held = held(world, in: queue)
            world.spawnTask("waits") {
                await queue.waitForAllOperations()
                world.expect(held.isFinished, "a wait ended too early")
            }
            world.together({ held.finish() })
        }
    }
    /// A second waiter is resumed by the same finish.
    func testWaitForAllAgainstAnotherWaitAndAdd() {
        explore { [self] world in
            let queue = KeyedQueue<String>(world.queue())
            let held = held(world, in: queue)
            let next = Witness(world, "next")
            world.spawnTask("waits") { await queue.waitForAllOperations() }
            world.spawnTask("adds and waits") {
                queue.addOperation(next, keys: ["b"])
                await queue.waitForAllOperations()
                world.expect(next.isFinished, "a wait ended too early")
            }
            world.together({ held.finish() })
        }
    }
}
