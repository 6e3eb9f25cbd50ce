import Foundation
import JobKitTesting

@testable import JobKit

extension Duel {
    /// Ends a job in one of three ways.
    private static func end(_ job: JobController, _ way: Int) {
        switch way {
        case 0: job.cancel()
        case 1: job.finish()
        default: job.finish(with: SampleError("duel"))
        }
    }

    /// Returns a started job that tracks executing tasks.
    static func startedJob(tracking tasks: [HeldOperation]) -> ScriptedJob {
        let job = ScriptedJob(queue: TaskQueue(name: "duel")) { job in
            for task in tasks { job.track(task) }
        }
        for task in tasks { task.start() }
        job.start()
        return job
    }

    static let ofSharedTasks = [
        Duel("jobs that share a task end at once") { dice, referee in
            let isPlain = dice.one(in: 2)
            let (held, user) = (HeldOperation("held"), UserOperation("user", isHeld: true))
            let task: Operation = isPlain ? user : held
            let jobs = (0..<dice.number(2...3))
                .map { _ in ScriptedJob(queue: TaskQueue(name: "duel")) { $0.track(task) } }
            for job in jobs { job.start() }
            task.start()
            let ways = (0..<3).map { _ in dice.number(0...2) }
            // Of three jobs, the last stays open, or all end.
            await dice.race({ end(jobs[0], ways[0]) }, { end(jobs[1], ways[1]) })
            if let last = jobs.dropFirst(2).first {
                referee.expect(!task.isCancelled, "J17: cancelled though a job tracks it")
                if dice.one(in: 2) {
                    end(last, ways[2])
                    referee.expect(task.isCancelled, "J17: the last job that ends cancels it")
                }
            } else {
                referee.expect(task.isCancelled, "J17: both jobs have left it to the other")
            }
            if isPlain { user.complete() } else { held.finish() }
            for job in jobs { await job.waitForFinish() }
        },
        Duel("jobs that leave a shared task against its finish") { dice, referee in
            let task = HeldOperation("shared")
            let jobs = (0..<4)
                .map { _ in ScriptedJob(queue: TaskQueue(name: "duel")) { $0.track(task) } }
            for job in jobs { job.start() }
            task.start()
            let ways = (0..<2).map { _ in dice.number(0...2) }
            await dice.race(
                { task.finish() },
                { end(jobs[1], ways[0]) },
                { end(jobs[2], ways[1]) }
            )
            for job in jobs { await job.waitForFinish() }
            referee.expect(!task.isCancelled, "J17: cancelled though two jobs track it")
            referee.expect(Array(task.listeners).isEmpty, "a finished task keeps its listeners")
        },
        Duel("what a job tracks when it is cancelled") { dice, referee in
            let tasks = (0..<dice.number(1...40)).map { HeldOperation("\($0)") }
            let job = startedJob(tracking: tasks)
            await dice.race(
                { for task in tasks { task.finish() } },
                {
                    let tracked = job.trackedTasks
                    job.cancel()
                    let missed = tracked.filter { !$0.isCancelled && !$0.isFinished }
                    referee.expect(missed.isEmpty, "J8: neither cancelled nor finished: \(missed)")
                }
            )
            await job.waitForFinish()
        },
    ]
}
