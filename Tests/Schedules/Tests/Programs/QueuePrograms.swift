import Foundation
import JobKit
import JobKitTesting
import Scheduler

/// The races of `TaskQueue` and `RateLimitedQueue`: Q1, Q2, Q4, Q7, Q8, J12.
final class QueuePrograms: Programs {
    func testAddAgainstAdd() {
        explore { world in
            let queue = world.queue(1)
            let operations = ["a", "b"].map { Counted(world, "queue", limit: 1, name: $0) }
            world.together(
                { queue.addOperation(operations[0]) },
                { queue.addOperation(operations[1]) }
            )
            world.wait(for: operations[0], operations[1])
        }
    }

    func testLimitOfAsynchronousOperations() {
        explore { world in
            let queue = world.queue(1)
            let (held, next) = (Witness(world, "held", finishes: false), Witness(world, "next"))
            queue.addOperation(held)
            world.wait { held.isExecuting }
            world.together(
                { queue.addOperation(next) },
                {
                    world.expectEqual(next.entered, 0, "Q1: two execute")
                    held.finish()
                }
            )
            world.wait(for: next)
            next.check()
        }
    }

    func testStartInTheOrderOfAdding() {
        explore { world in
            let queue = world.queue(1)
            let held = Witness(world, "held", finishes: false)
            let operations = ["1", "2", "3"].map { Witness(world, $0) }
            queue.addOperation(held)
            world.wait { held.isExecuting }
            world.together(
                { for operation in operations { queue.addOperation(operation) } },
                { held.finish() }
            )
            world.wait { operations.allSatisfy(\.isFinished) }
            // The held operation may enter main() after it was finished.
            let order = world.events.filter { $0 != "held began" }
            world.expectEqual(order, ["1 began", "2 began", "3 began"], "Q1, Q2: started as")
        }
    }

    func testThreeOperationsWithLimitTwo() {
        explore { world in
            let queue = world.queue(2)
            let operations = (0..<3).map { Counted(world, "queue", limit: 2, name: "\($0)") }
            queue.addOperations(operations)
            world.wait(for: operations[0], operations[1], operations[2])
        }
    }

    func testLimitRaisedAgainstAdd() {
        explore { world in
            let queue = world.queue(1)
            let held = Witness(world, "held", finishes: false)
            let next = Witness(world, "next")
            queue.addOperation(held)
            world.wait { held.isExecuting }
            world.together(
                { queue.maxConcurrentOperationCount = 2 },
                { queue.addOperation(next) }
            )
            world.wait(for: next)
            held.finish()
            world.wait(for: held)
        }
    }

    func testLimitLoweredAgainstFinish() {
        explore { world in
            let queue = world.queue(2)
            let held = Witness(world, "held", finishes: false)
            queue.addOperation(held)
            world.wait { held.isExecuting }
            world.together(
                { queue.maxConcurrentOperationCount = 1 },
                { held.finish() },
                { queue.addOperation(Witness(world, "next")) }
            )
            world.wait { world.count("next began") == 1 }
        }
    }

    func testSuspensionAgainstAdd() {
        explore { world in
            let queue = world.queue()
            let operation = Witness(world)
            world.together(
                {
                    queue.isSuspended = true
                    queue.isSuspended = false
                },
                { queue.addOperation(operation) }
            )
            world.wait(for: operation)
            operation.check()
        }
    }

    func testResumeAgainstAdd() {
        explore { world in
            let queue = world.queue(1)
            queue.isSuspended = true
            let operation = Witness(world)
            world.together({ queue.isSuspended = false }, { queue.addOperation(operation) })
            world.wait(for: operation)
        }
    }

    func testCancelAllAgainstAdd() {
        explore { world in
            let queue = world.queue(1)
            let operations = [Witness(world, "a", finishes: false), Witness(world, "b")]
            queue.addOperation(operations[0])
            world.together(
                {
                    let seen = queue.operations
                    queue.cancelAllOperations()
                    world.expect(seen.allSatisfy(\.isCancelled), "Q7: not cancelled")
                },
                { queue.addOperation(operations[1]) }
            )
            operations[0].cancel()
            world.wait(for: operations[0], operations[1])
        }
    }

    func testCancelAllStartsNothingThatWaited() {
        explore { world in
            let queue = world.queue(1)
            let held = Witness(world, "held", finishes: false)
            let waiting = Witness(world, "waiting")
            queue.addOperations([held, waiting])
            world.wait { held.isExecuting }
            world.together({ queue.cancelAllOperations() })
            world.wait(for: held, waiting)
            world.expectEqual(waiting.entered, 0, "Q7: entered main()")
        }
    }

    func testCancelledWaiterOfSuspendedQueue() {
        explore { world in
            let queue = world.queue()
            queue.isSuspended = true
            let operation = Witness(world)
            world.together({ queue.addOperation(operation) }, { operation.cancel() })
            world.wait(for: operation)
            world.expectEqual(operation.entered, 0, "O4: entered main()")
        }
    }

    func testWaitForAllAgainstFinish() {
        explore { world in
            let queue = world.queue()
            let operation = Witness(world, finishes: false)
            queue.addOperation(operation)
            world.spawnTask("waits") {
                await queue.waitForAllOperations()
                world.expect(operation.isFinished, "a wait ended too early")
            }
            world.together({ operation.finish() })
            world.wait(for: operation)
        }
    }

    func testAddAndWaitAgainstCancel() {
        explore { world in
            let (queue, waiting) = (world.queue(1), Witness(world, "waiting"))
            let held = Witness(world, "held", finishes: false)
            queue.addOperation(held)
            world.spawnTask("waits") {
                await queue.addOperationsAndWait([waiting])
                world.expect(waiting.isFinished, "the wait ended too early")
            }
            world.together({ waiting.cancel() })
            held.finish()
            world.wait(for: held, waiting)
        }
    }

    func testBarrierAgainstAdds() {
        explore { world in
            let queue = world.queue()
            world.together(
                {
                    queue.addOperation { world.section("work", limit: 2) }
                    queue.addOperation { world.section("work", limit: 2) }
                },
                { queue.addBarrierBlock { world.section("work") } }
            )
            world.settle { queue.operationCount == 0 }
        }
    }

    func testPriorityLoweredAgainstFree() {
        explore { world in
            let queue = world.queue(1)
            let held = Witness(world, "held", finishes: false)
            let (a, b) = (Witness(world, "a"), Witness(world, "b"))
            queue.addOperations([held, a, b])
            world.wait { held.isExecuting }
            world.together({ a.queuePriority = .low }, { held.finish() })
            world.wait(for: a, b)
        }
    }

    func testQueueIsFreedAfterItsOperations() {
        explore { world in
            var queue: TaskQueue? = world.queue(1)
            let operations = [Witness(world, "a"), Witness(world, "b")]
            for operation in operations { queue?.addOperation(operation) }
            queue = nil
            world.wait(for: operations[0], operations[1])
        }
    }

    func testJobLendsItsPermit() {
        explore { world in
            let queue = world.queue(1)
            let job = Script(world, queue: queue) { job in
                for name in ["a", "b"] {
                    job.trackAndQueue(Counted(world, "tasks", limit: 1, name: name))
                }
            }
            queue.addOperation(job)
            world.wait(for: job)
            job.check(delivered: 2)
        }
    }

    func testNestedJobsLendTheirPermit() {
        explore { world in
            let queue = world.queue(1)
            let inner = Script(world, "inner", queue: queue) { job in
                job.trackAndQueue(Counted(world, "tasks", limit: 1))
            }
            let job = Script(world, queue: queue) { $0.trackAndQueue(inner) }
            queue.addOperation(job)
            world.wait(for: job)
            job.check(delivered: 1)
        }
    }

    func testTaskIsAddedWhileItsJobBegins() {
        explore { world in
            let queue = world.queue(1)
            let task = Witness(world)
            let job = world.script(tracking: task)
            world.together({ queue.addOperation(job) }, { queue.addOperation(task) })
            world.wait(for: job)
            job.check(delivered: 1)
        }
    }

    func testBarrierAgainstTasksOfJob() {
        explore { world in
            let queue = world.queue()
            let job = world.steps(on: queue)
            world.together(
                { queue.addOperation(job) },
                { queue.addBarrierBlock { world.section("barrier") } }
            )
            world.wait(for: job)
            world.settle { queue.operationCount == 0 }
        }
    }

    func testDependentStartsBeforeAStranger() {
        explore { world in
            let queue = world.queue(1)
            let (first, last) = (Witness(world, "first"), Witness(world, "last"))
            last.queuePriority = .high
            last.addDependency(first)
            queue.isSuspended = true
            queue.addOperations([first, last, Witness(world, "stranger")])
            world.together({ queue.isSuspended = false })
            world.settle { queue.operationCount == 0 }
            let order = ["first began", "last began", "stranger began"]
            world.expectEqual(world.events, order, "Q2: started as")
        }
    }

    func testTwoJobsInOneQueue() {
        explore { world in
            let queue = world.queue(1)
            let jobs = ["a", "b"]
                .map { name in
                    Script(world, name, queue: queue) { $0.trackAndQueue(Witness(world, name)) }
                }
            world.together({ queue.addOperation(jobs[0]) }, { queue.addOperation(jobs[1]) })
            world.wait(for: jobs[0], jobs[1])
        }
    }

    func testQueueBecomesLimitedAgainstJobThatWaits() {
        explore { world in
            let queue = world.queue()
            let job = Script(world, queue: queue) { job in
                for name in ["a", "b"] { job.trackAndQueue(Witness(world, name)) }
            }
            world.together(
                { queue.addOperation(job) },
                { queue.maxConcurrentOperationCount = 1 }
            )
            world.wait(for: job)
            job.check(delivered: 2)
        }
    }

    func testSharedTaskAndLentPermit() {
        explore { world in
            let queue = world.queue(2)
            let task = Witness(world)
            let jobs = ["a", "b"]
                .map { name in
                    Script(world, name, queue: queue) { $0.track(task) }
                }
            for job in jobs { queue.addOperation(job) }
            world.wait { jobs.allSatisfy(\.isExecuting) }
            world.together({ queue.addOperation(task) }, { jobs[0].cancel() })
            world.wait(for: jobs[0], jobs[1])
        }
    }

    func testRateOfTwoAdds() {
        explore { world in
            let clock = ManualClock()
            let queue = RateLimitedQueue(
                world.queue(),
                limit: 1,
                per: .seconds(1),
                clock: clock
            )
            let operations = [Witness(world, "a"), Witness(world, "b")]
            world.together(
                { queue.addOperation(operations[0]) },
                { queue.addOperation(operations[1]) }
            )
            world.settle { clock.nextDeadline != nil }
            world.expect(operations.count { $0.isFinished } <= 1, "Q8: both started")
            clock.advance(by: .seconds(1))
            world.wait(for: operations[0], operations[1])
        }
    }

    func testCancelAgainstRate() {
        explore { world in
            let queue = RateLimitedQueue(world.queue(), limit: 1, per: .seconds(1))
            let operations = [Witness(world, "a"), Witness(world, "b")]
            for operation in operations { queue.addOperation(operation) }
            world.together({ operations[1].cancel() }, { operations[0].cancel() })
            world.wait(for: operations[0], operations[1])
        }
    }
}
