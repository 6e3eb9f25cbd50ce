import Foundation
import JobKit
import JobKitTesting
import Synchronization

extension Duel {
    /// Returns operations that count themselves at a gauge.
    ///
    /// Some of them must be finished by others.
    private static func gauged(
        _ dice: inout Dice,
        _ gauge: Gauge,
        atMost count: Int = 12
    ) -> [GaugedOperation] {
        (0..<dice.number(1...count))
            .map { _ in GaugedOperation(gauge, finishesInMain: dice.one(in: 2)) }
    }

    static let ofControl = [
        Duel("a queue that is suspended and resumed against adds and ends") { dice, referee in
            let queue = TaskQueue(name: "duel", maxConcurrentOperationCount: dice.number(1...3))
            // If a resumption misses the only operation, no other operation triggers another one.
            let isSingle = dice.one(in: 2)
            let operations = gauged(&dice, Gauge(), atMost: isSingle ? 1 : 12)
            let rounds = dice.number(1...(isSingle ? 1 : 20))
            if isSingle { queue.isSuspended = true }
            await dice.race(
                { for operation in operations { queue.addOperation(operation) } },
                {
                    for _ in 0..<rounds {
                        if !isSingle { queue.isSuspended = true }
                        queue.isSuspended = false
                    }
                },
                { for operation in operations { operation.end() } }
            )
            await queue.waitForAllOperations()
            referee.expect(operations.allSatisfy(\.isFinished), "Q4: one was never started")
        },
        Duel("the width of a queue against adds and ends") { dice, referee in
            let widest = dice.number(2...4)
            let queue = TaskQueue(name: "duel", maxConcurrentOperationCount: 1)
            let gauge = Gauge(limit: widest)
            let operations = gauged(&dice, gauge)
            let widths = (0..<dice.number(1...20)).map { _ in dice.number(1...widest) }
            await dice.race(
                { for operation in operations { queue.addOperation(operation) } },
                { for width in widths { queue.maxConcurrentOperationCount = width } },
                { for operation in operations { operation.end() } }
            )
            await queue.waitForAllOperations()
            referee.expect(!gauge.wasExceeded, "Q1: more execute than any width allowed")
            referee.expect(operations.allSatisfy(\.isFinished), "Q4: one was never started")
        },
        Duel("the cancel of a queue against adds, waits and looks") { dice, referee in
            let queue = TaskQueue(name: "duel", maxConcurrentOperationCount: dice.number(1...3))
            let operations = (0..<dice.number(1...12)).map { HeldOperation("\($0)") }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 { await queue.waitForAllOperations() }
                    }
                }
                await dice.race(
                    { for operation in operations { queue.addOperation(operation) } },
                    {
                        let seen = queue.operations
                        queue.cancelAllOperations()
                        referee.expect(
                            seen.allSatisfy { $0.isCancelled },
                            "Q7: one that stood in the queue was not cancelled"
                        )
                    },
                    { while queue.operationCount == 0, !operations[0].isFinished { giveWay() } }
                )
                queue.cancelAllOperations()
            }
            await queue.waitForAllOperations()
            referee.expect(operations.allSatisfy(\.isFinished), "Q7: a wait ended too early")
        },
        Duel("barriers against adds from another thread") { dice, referee in
            let queue = TaskQueue(name: "duel")
            let (begun, ended) = (Tally(), Tally())
            let (count, barriers) = (dice.number(1...20), dice.number(1...4))
            let check: @Sendable () -> Void = {
                let count = begun.count
                referee.expect(count == ended.count, "a barrier is not alone")
            }
            await dice.race(
                {
                    for _ in 0..<count {
                        queue.addOperation {
                            begun.add()
                            giveWay()
                            ended.add()
                        }
                    }
                },
                {
                    for _ in 0..<barriers {
                        queue.addBarrierBlock {
                            check()
                            giveWay()
                            check()
                        }
                    }
                }
            )
            await queue.waitForAllOperations()
        },
        Duel("priorities that change against starts") { dice, referee in
            let queue = TaskQueue(name: "duel", maxConcurrentOperationCount: 1)
            let operations = (0..<dice.number(1...12))
                .map { number -> Operation in
                    number % 2 == 0 ? BlockOperation {} : InstantOperation("\(number)")
                }
            let priorities: [Operation.QueuePriority] = [.veryLow, .normal, .veryHigh]
            let chosen = operations.map { _ in priorities[dice.number(0...2)] }
            await dice.race(
                { for operation in operations { queue.addOperation(operation) } },
                { for (one, other) in zip(operations, chosen) { one.queuePriority = other } },
                { for (one, other) in zip(operations, chosen) { one.queuePriority = other } }
            )
            await queue.waitForAllOperations()
            referee.expect(operations.allSatisfy(\.isFinished), "Q2: one was never started")
        },
        Duel("a group's completion that is set against its last finish") { dice, referee in
            let (task, told) = (HeldOperation("task"), Tally())
            let group = JobGroup.named("group")
            let job = ScriptedJob(queue: TaskQueue(name: "duel")) { $0.track(task, group: group) }
            job.onGroup = { _, _ in told.add() }
            task.start()
            job.start()
            let kept = Kept()
            await dice.race(
                { task.finish() },
                {
                    for _ in 0..<5 {
                        let token = kept.make()
                        job.setCompletion(for: group) {
                            told.add()
                            _ = token
                        }
                    }
                }
            )
            await job.waitForFinish()
            referee.expect(told.count == 1, "J4: the group's end was told \(told.count) times")
            await referee.expectSoon("J10: a closure is kept that is never called") {
                kept.isReleased
            }
            withExtendedLifetime(job) {}
        },
        Duel("a group's width that is set against finishes") { dice, referee in
            let widest = dice.number(1...3)
            let gauge = Gauge(limit: widest)
            let tasks = gauged(&dice, gauge)
            let widths = (0..<dice.number(1...20)).map { _ in dice.number(1...widest) }
            let job = ScriptedJob(queue: TaskQueue(name: "duel")) { job in
                for task in tasks { job.trackAndQueue(task) }
            }
            let group = JobGroup.type(GaugedOperation.self)
            job.setMaxConcurrentOperationCount(1, for: group)
            await dice.race(
                { job.start() },
                { for width in widths { job.setMaxConcurrentOperationCount(width, for: group) } },
                { for task in tasks { task.end() } }
            )
            await job.waitForFinish()
            referee.expect(!gauge.wasExceeded, "J15: more execute than any width allowed")
            let count = job.events.count { $0.hasPrefix("task") }
            referee.expect(count == tasks.count, "J5: \(count) of \(tasks.count) delivered")
        },
        Duel("a job that is suspended and resumed against finishes") { dice, referee in
            let tasks = (0..<dice.number(1...5)).map { HeldOperation("\($0)") }
            let job = startedJob(tracking: tasks)
            let rounds = dice.number(1...20)
            await dice.race(
                { for task in tasks { task.finish() } },
                {
                    for _ in 0..<rounds {
                        job.isSuspended = true
                        job.isSuspended = false
                    }
                }
            )
            await job.waitForFinish()
            let count = job.events.count { $0.hasPrefix("task") }
            referee.expect(count == tasks.count, "J5: \(count) of \(tasks.count) delivered")
        },
        Duel("a retry against its cancel") { dice, referee in
            let (attempts, succeeds) = (Tally(), dice.number(1...4))
            // Time does not pass, so only cancellation ends the longer delays.
            let delay = dice.one(in: 2) ? Duration.zero : .seconds(1)
            let retry = RetryOperation(RetryPolicy { _, _ in delay }) { number -> Operation in
                attempts.add()
                return InstantOperation(
                    "attempt",
                    failure: number < succeeds ? SampleError("duel") : nil
                )
            }
            retry.clock = ManualClock()
            // If another thread starts it, the cancellation usually comes first.
            let isQueued = dice.one(in: 4)
            await dice.race(
                {
                    guard isQueued else { return retry.start() }
                    retry.startJob(on: TaskQueue(name: "duel"))
                },
                { retry.cancel() },
                { for _ in 0..<20 { _ = (retry.latestAttempt?.isFinished, giveWay()) } }
            )
            await retry.waitForFinish()
            await referee.expectSoon("J4: not finished") { retry.isFinished }
            let outcome = retry.outcome?.description ?? "none"
            referee.expect(["succeeded", "cancelled"].contains(outcome), "R1: \(outcome)")
            let isAnyMade = retry.latestAttempt != nil
            referee.expect(isAnyMade == (attempts.count > 0), "R1: an attempt is not known")
        },
        Duel("delays and limits that are set against the end") { dice, referee in
            let (clock, operation, calls) = (ManualClock(), HeldOperation("held"), Tally())
            operation.clock = clock
            operation.start()
            let ending = dice.number(0...2)
            await dice.race(
                {
                    operation.perform(after: .seconds(1)) { calls.add() }
                    operation.maximumRuntime = .seconds(2)
                    operation.maximumRuntime = nil
                },
                { clock.advance(by: .seconds(3)) },
                { if ending == 0 { operation.cancel() } else { operation.finish() } }
            )
            await operation.waitForFinish()
            referee.expect(calls.count <= 1, "O8: a delay has passed \(calls.count) times")
            await referee.expectSoon("O8: something sleeps on after the finish") {
                clock.nextDeadline == nil
            }
            let outcome = operation.outcome?.description ?? "none"
            let allowed = ending == 0 ? ["cancelled", "failed"] : ["succeeded", "failed"]
            referee.expect(allowed.contains(outcome), "O8: \(outcome)")
        },
    ]
}
