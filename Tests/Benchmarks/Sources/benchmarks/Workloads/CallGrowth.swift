import Foundation
import JobKit
import JobKitTesting

/// How the time of a call grows: the same call on n things and on 2n.
///
/// Linear is 2 ×, n log n a little more, n² is 4 ×.
struct CallGrowth: Sendable {
    /// What there is n of.
    let name: String
    /// How many there are in the smaller round.
    let size: Int
    /// Prepares n things and times the call; the figure is what `time` measured.
    let run: @Sendable (_ size: Int, _ time: (() -> Void) -> Void) -> Void

    private static let rounds = 5

    /// The workload of a call, with a variant of n and one of 2n.
    var workload: Workload {
        Workload(
            "growth: \(name)",
            size: size,
            baseline: variant(of: size).name,
            rounds: Self.rounds,
            variants: [variant(of: size), variant(of: 2 * size)]
        )
    }

    /// The time at 2n against the time at n.
    var bound: Bound {
        Bound(
            work: "\(name), \(NumberText.grouped(2 * size)) against \(NumberText.grouped(size))",
            subject: workload.series(variant(of: 2 * size).name, .total),
            reference: workload.series(variant(of: size).name, .total),
            limits: Bound.Limits(atMost: 3, aim: 2.2)
        )
    }

    private func variant(of count: Int) -> Variant {
        let factor = count / size
        return Variant(name: "n = \(NumberText.grouped(count))", figures: [.total]) { base in
            var elapsed = Duration.zero
            run(base * factor) { body in elapsed += ContinuousClock().measure(body) }
            return [Reading(figure: .total, value: elapsed.nanoseconds)]
        }
    }
}

extension CallGrowth {
    /// Every call whose cost could grow with more than its size; `scale` divides the sizes.
    static func all(scale: Int = 1) -> [CallGrowth] {
        (jobs + queues + decisions + clocks)
            .map { CallGrowth(name: $0.name, size: max(100, $0.size / scale), run: $0.run) }
    }

    // MARK: Jobs

    private static let jobs = [
        CallGrowth(name: "tasks of a job, each in a group of its own", size: 20_000) {
            count,
            time in
            let queue = TaskQueue()
            let job = HeldJob(queue: queue)
            time {
                for number in 0..<count {
                    job.trackAndQueue(EmptyTask(), group: .named("\(number)"))
                }
                job.release()
            }
        },
        CallGrowth(name: "widths of groups, set after tracking", size: 2_000) { count, time in
            let queue = TaskQueue()
            queue.isSuspended = true
            let job = HeldJob(queue: TaskQueue())
            for number in 0..<count {
                job.trackAndQueue(EmptyTask(), on: queue, group: .named("\(number)"))
            }
            time {
                for number in 0..<count {
                    job.setMaxConcurrentOperationCount(1, for: .named("\(number)"))
                }
            }
            queue.isSuspended = false
            job.release()
        },
        CallGrowth(name: "observers of a job", size: 4_000) { count, time in
            let job = HeldJob(queue: TaskQueue())
            time { for _ in 0..<count { job.addObserver(EmptyObserver()) } }
            job.release()
        },
        CallGrowth(name: "jobs that track one plain operation", size: 4_000) { count, time in
            let plain = BlockOperation {}
            let jobs = (0..<count).map { _ in JobController() }
            time {
                for job in jobs { job.track(plain) }
                for job in jobs { job.start() }
                plain.start()
                for job in jobs { job.waitUntilFinished() }
            }
        },
        CallGrowth(name: "jobs of a limited queue that track one task", size: 1_000) {
            count,
            time in
            let queue = TaskQueue(maxConcurrentOperationCount: 2 * count)
            let task = PendingTask()
            queue.addOperation(task)
            let jobs = (0..<count).map { _ in TrackingJob(task) }
            time {
                for job in jobs { queue.addOperation(job) }
                for job in jobs { job.waitUntilTracked() }
                task.finish()
                queue.drain()
            }
        },
        CallGrowth(name: "explainStall of a full queue", size: 4_000) { count, time in
            let queue = TaskQueue(maxConcurrentOperationCount: count / 10)
            let job = HeldJob(queue: queue)
            let tasks = (0..<count).map { _ in PendingTask() }
            for task in tasks { job.trackAndQueue(task) }
            time { _ = job.explainStall() }
            for task in tasks { task.finish() }
            job.release()
        },
        CallGrowth(name: "cancel of nested jobs", size: 5_000) { count, time in
            var jobs = [JobController()]
            for _ in 1..<count {
                let outer = JobController()
                if let inner = jobs.last { outer.trackAndQueue(inner) }
                jobs.append(outer)
            }
            time { jobs.last?.cancel() }
        },
    ]

    // MARK: Queues

    private static let queues = [
        CallGrowth(name: "barriers of a queue", size: 10_000) { count, time in
            let queue = TaskQueue()
            queue.isSuspended = true
            time {
                for _ in 0..<count { queue.addBarrierBlock {} }
                queue.isSuspended = false
                queue.drain()
            }
        },
        CallGrowth(name: "dependencies removed again", size: 50_000) { count, time in
            let last = EmptyTask()
            let first = (0..<count).map { _ in EmptyTask() }
            time {
                for task in first { last.addDependency(task) }
                for task in first { last.removeDependency(task) }
            }
        },
        CallGrowth(name: "dependents removed again", size: 50_000) { count, time in
            let first = EmptyTask()
            let last = (0..<count).map { _ in EmptyTask() }
            time {
                for task in last { task.addDependency(first) }
                for task in last { task.removeDependency(first) }
            }
        },
        CallGrowth(name: "blocking groups of a timeline", size: 1_000) { count, time in
            let launch = TaskWorkflow(name: "launch")
            for number in 0..<count {
                launch.addBlockingTasks([
                    ClosureTask(name: "task \(number)", queue: .concurrentQueue) { _ in }
                ])
            }
            launch.startJob()
            launch.waitUntilFinished()
            time { _ = launch.generateTimeline() }
        },
    ]

    // MARK: Decisions

    private static let decisions = [
        CallGrowth(name: "launch decisions", size: 4_000) { count, time in
            let decisions = LaunchDecisions(priority: Array(0..<count))
            decisions.open()
            time {
                for item in 0..<count { decisions.set(.needed, for: item) }
                for item in 0..<count { decisions.complete(item) }
                for item in 1..<count { decisions.prioritize(item, before: 0) }
            }
        }
    ]

    // MARK: Clocks

    private static let clocks = [
        CallGrowth(name: "sleepers of a manual clock, the last due first", size: 5_000) {
            count,
            time in
            let clock = ManualClock()
            let task = PendingTask()
            task.clock = clock
            task.start()
            time {
                for number in 0..<count {
                    task.perform(after: .seconds(count - number)) {}
                }
                wait(for: count, on: clock)
                task.finish()
            }
        }
    ]

    private static func wait(for sleepers: Int, on clock: ManualClock) {
        let asleep = DispatchSemaphore(value: 0)
        Task {
            await clock.waitForSleepers(sleepers)
            asleep.signal()
        }
        asleep.wait()
    }
}
