import Foundation
import JobKit
import JobKitTesting

/// How the time of a call grows from n things to 2n or more.
///
/// At 2n, linear growth is 2 ×, n log n slightly more, and n² is 4 ×.
struct CallGrowth: Sendable {
    /// The name of the things that n counts.
    let name: String
    /// The number of things in the smaller round.
    var size: Int
    /// The number of things in the larger round, divided by that in the smaller one.
    var factor = 2
    /// The limits of the ratio.
    var limits = Bound.Limits(atMost: 3, aim: 2.2)
    /// Prepares n things and times the call.
    ///
    /// The figure is the measurement of `time`.
    let run: @Sendable (_ size: Int, _ time: (() -> Void) -> Void) -> Void

    private static let rounds = 5

    /// The workload of a call, with a variant for n and one for 2n.
    var workload: Workload {
        Workload(
            "growth: \(name)",
            size: size,
            baseline: variant(of: size).name,
            rounds: Self.rounds,
            variants: [variant(of: size), variant(of: factor * size)]
        )
    }

    /// Compares the time of the larger round with that of the smaller one.
    var bound: Bound {
        let (more, fewer) = (NumberText.grouped(factor * size), NumberText.grouped(size))
        return Bound(
            work: "\(name), \(more) against \(fewer)",
            subject: workload.series(variant(of: factor * size).name, .total),
            reference: workload.series(variant(of: size).name, .total),
            limits: limits
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
    /// All calls that could cost more than linear time.
    ///
    /// `scale` divides the sizes.
    static func all(scale: Int = 1) -> [CallGrowth] {
        (jobs + queues + looks)
            .map { call in
                var call = call
                call.size = max(100, call.size / scale)
                return call
            }
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
        CallGrowth(name: "jobs each in the one before, in one queue of width 4", size: 4_000) {
            count,
            time in
            time { DeepJob.run(count) }
        },
        CallGrowth(name: "the same, each with a task after the job below it", size: 4_000) {
            count,
            time in
            time { DeepJob.run(count, with: .taskAfter) }
        },
        CallGrowth(name: "the same, each tracked with a task of its own", size: 4_000) {
            count,
            time in
            time { DeepJob.run(count, with: .taskBefore) }
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

    // MARK: Reads

    private static let looks = [
        look("explainStall(limit: 60)") { _ = $0.explainStall(limit: 60) },
        look("snapshot(limit: 200)") { _ = $0.snapshot(limit: 200) },
    ]

    /// Measures reads of a job while its n tasks wait in a full queue.
    private static func look(
        _ name: String,
        _ look: @escaping @Sendable (JobController) -> Void
    ) -> CallGrowth {
        CallGrowth(
            name: "\(name) of unfinished tasks",
            size: 1_000,
            factor: 100,
            limits: Bound.Limits(atMost: 3, aim: 1.5)
        ) { count, time in
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            let job = HeldJob(queue: queue)
            for _ in 0..<count { job.trackAndQueue(EmptyTask()) }
            look(job)
            time { for _ in 0..<20 { look(job) } }
            job.release()
        }
    }

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
        CallGrowth(name: "steps of a StepQueue", size: 4_000) { count, time in
            let queue = StepQueue()
            for _ in 0..<count { queue.addOperation(EmptyTask()) }
            time { queue.runAll(seed: 1) }
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
}
