import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

/// Records the events that it receives.
private final class Witness: JobObserver {
    private let seen = Guarded<[JobEvent]>([])

    var events: [JobEvent] { seen.withLock { $0 } }

    func job(_ job: JobController, didRecord event: JobEvent) { seen.withLock { $0.append(event) } }
}

extension Duel {
    /// Returns a started job that tracks held operations and a nested job with one.
    private static func heldJob(
        _ dice: inout Dice,
        startsTasks: Bool = true,
        cancelling ways: [TaskCancellation] = [.cancelAndWait]
    ) -> (job: ScriptedJob, tasks: [HeldOperation]) {
        let tasks = (0..<dice.number(1...4)).map { HeldOperation("\($0)") }
        let chosen = tasks.map { _ in ways[dice.number(0...ways.count - 1)] }
        let inner = HeldOperation("inner")
        let nested = ScriptedJob("nested", queue: TaskQueue(name: "duel")) { $0.track(inner) }
        let job = ScriptedJob(queue: TaskQueue(name: "duel")) { job in
            for (task, way) in zip(tasks, chosen) { job.track(task, cancellation: way) }
            job.track(nested)
        }
        if startsTasks { for task in tasks + [inner] { task.start() } }
        job.start()
        nested.start()
        return (job, tasks + [inner])
    }

    /// Reads a job's state while the job runs and one of its tasks advances.
    private static func ask(
        about job: JobController,
        advancing task: HeldOperation?,
        _ referee: Referee
    ) {
        var (before, rounds) = (0.0, 0.0)
        while !job.isFinished {
            rounds += 1
            task?.reportProgress(rounds / (rounds + 1))
            let fraction = job.progress.fractionCompleted
            referee.expect(before...1 ~= fraction, "R3: \(fraction) after \(before)")
            before = fraction
            let snapshot = job.snapshot()
            referee.expect(
                snapshot.finishedCount <= snapshot.trackedCount,
                "R4: \(snapshot.finishedCount) of \(snapshot.trackedCount) have finished"
            )
            _ = job.trackedTasks.map(\.operationID)
            _ = job.explainStall(limit: 3)
            giveWay()
        }
    }

    static let ofQuestions = [
        Duel("a job that is asked about against its finishes") { dice, referee in
            let (job, tasks) = heldJob(&dice)
            let isCancelled = dice.one(in: 3)
            await dice.race(
                { if isCancelled { job.cancel() } else { for task in tasks { task.finish() } } },
                { ask(about: job, advancing: tasks.first, referee) },
                { ask(about: job, advancing: tasks.last, referee) }
            )
            let words = job.explainStall()
            referee.expect(words == "job: finished", "R4: \(words)")
            referee.expect(job.trackedTasks.isEmpty, "R4: a finished job tracks tasks")
            let state = job.snapshot().state
            referee.expect(state == (isCancelled ? .cancelled : .succeeded), "R4: \(state)")
        },
        Duel("the progress of a job that two ask for first") { dice, referee in
            let (job, tasks) = heldJob(&dice)
            let given = Guarded<[Progress]>([])
            let ask: @Sendable () -> Void = {
                let progress = job.progress
                given.withLock { $0.append(progress) }
            }
            await dice.race(
                ask,
                ask,
                {
                    for task in tasks {
                        task.reportProgress(0.5)
                        task.finish()
                        task.reportProgress(0.7)
                    }
                }
            )
            await job.waitForFinish()
            let all = given.withLock { $0 }
            referee.expect(all[0] === all[1], "R3: two are given different progresses")
            referee.expect(all[0].fractionCompleted == 1, "R3: \(all[0].fractionCompleted)")
        },
        Duel("an observer added against finishes") { dice, referee in
            let (job, tasks) = heldJob(
                &dice,
                cancelling: [.cancelAndWait, .cancelWithoutWaiting, .leaveRunning]
            )
            let isCancelled = dice.one(in: 3)
            let witnesses = (0..<2).map { _ in Witness() }
            job.addObserver(witnesses[0])
            await dice.race(
                { for task in tasks { task.finish() } },
                { job.addObserver(witnesses[1]) },
                { if isCancelled { job.cancel() } }
            )
            await job.waitForFinish()
            for witness in witnesses {
                let events = witness.events
                let ends = events.filter { $0.kind == .finished || $0.kind == .dropped }
                let ids = ends.map { [$0.operationID, $0.parentID ?? 0] }
                referee.expect(Set(ids).count == ids.count, "R2: an end is told twice")
                let own = events.lastIndex { $0.parentID == nil && $0.kind == .finished }
                let isLast = own.map { $0 == events.count - 1 } ?? events.isEmpty
                referee.expect(isLast || witness === witnesses[1], "R2: not the last event")
            }
        },
        Duel("a timeline that is read against events") { dice, referee in
            let (job, tasks) = heldJob(&dice, startsTasks: false)
            let recorder = TimelineRecorder()
            job.addObserver(recorder)
            let check: @Sendable () -> Void = {
                let entries = recorder.timeline.entries
                for entry in entries {
                    let parent = entry.parent ?? 0
                    referee.expect(
                        entry.start <= entry.end && entries.indices.contains(parent),
                        "R5: \(entry)"
                    )
                }
            }
            let run: @Sendable ([HeldOperation]) -> Void = { some in
                for task in some {
                    task.start()
                    task.finish()
                }
            }
            await dice.race(
                { run([tasks[0]]) },
                { run(Array(tasks.dropFirst())) },
                { while !job.isFinished { check() } }
            )
            await job.waitForFinish()
            check()
            let entries = recorder.timeline.entries
            referee.expect(
                entries.count == tasks.count + 2 && entries.allSatisfy { $0.outcome != nil },
                "R5: \(entries)"
            )
        },
        Duel("the numbers of operations that two ask for first") { dice, referee in
            let operations: [Operation] = (0..<20)
                .map { $0 % 2 == 0 ? BlockOperation {} : HeldOperation("held") }
            let barrier = TurnBarrier(threads: 2)
            let given = Guarded<[[Int]]>([])
            let ask: @Sendable () -> Void = {
                let numbers = operations.map { operation in
                    barrier.wait()
                    return operation.operationID
                }
                given.withLock { $0.append(numbers) }
            }
            await dice.race(ask, ask)
            let all = given.withLock { $0 }
            referee.expect(all[0] == all[1], "R2: one operation has two numbers: \(all)")
        },
        Duel("waits for a finish against it") { dice, referee in
            let way = dice.number(0...2)
            let user = UserOperation("user", isHeld: true)
            let held = HeldResultOperation<Int>()
            let operation: Operation = way == 0 ? user : held
            operation.start()
            let (count, left) = (dice.number(1...30), Tally())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        await operation.waitForFinish()
                        referee.expect(operation.isFinished, "O6: waited for no finish")
                        if way == 2 {
                            let value = try? await held.value
                            referee.expect(value == 7, "O3: the value is \(value as Any)")
                        }
                        left.add()
                    }
                }
                await dice.race({
                    switch way {
                    case 0: user.complete()
                    case 1: held.cancel()
                    default: held.finish(returning: 7)
                    }
                })
            }
            referee.expect(left.count == count, "O6: a wait has no end")
        },
    ]
}
