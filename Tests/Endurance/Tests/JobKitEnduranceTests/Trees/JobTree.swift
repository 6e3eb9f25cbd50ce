import Foundation
import Synchronization

@testable import JobKit

/// Counts the jobs that exist.
final class LivingJobs: Sendable {
    private let jobs = Atomic(0)

    var count: Int { jobs.load(ordering: .acquiring) }

    func add(_ number: Int) { jobs.add(number, ordering: .acquiringAndReleasing) }
}

/// A random tree of jobs with its queues, its disturbances and the observations of its run.
final class JobTree: Sendable {
    let seed: UInt64
    let living: LivingJobs
    /// The queues for tasks.
    ///
    /// The gauge counts the tasks that execute there, up to the concurrency limit.
    let queues: [(queue: any OperationScheduling, gauge: Gauge)]
    /// The queues for jobs, of which at most one has a concurrency limit.
    ///
    /// If two had limits, the jobs in each could wait forever for tasks in the other. J12 covers
    /// only tasks that are added to the queue of a job above them.
    let jobQueues: [any OperationScheduling]
    private let seen = Guarded((jobs: [StressJob](), complaints: [String]()))

    init(seed: UInt64, living: LivingJobs) {
        self.seed = seed
        self.living = living
        var random = WalkGenerator(seed: seed)
        let width = Int.random(in: 1...4, using: &random)
        queues = [
            (TaskQueue(name: "one", maxConcurrentOperationCount: 1), Gauge(limit: 1)),
            (TaskQueue(name: "few", maxConcurrentOperationCount: width), Gauge(limit: width)),
            (TaskQueue.shared, Gauge()),
            (OperationQueue(), Gauge()),
        ]
        jobQueues = queues.dropFirst().map(\.queue)
    }

    // MARK: Observations

    var jobs: [StressJob] { seen.withLock { $0.jobs } }

    /// Adds the job and returns its number.
    func add(_ job: StressJob) -> Int {
        seen.withLock { seen in
            seen.jobs.append(job)
            return seen.jobs.count - 1
        }
    }

    func complain(_ text: String) { seen.withLock { $0.complaints.append(text) } }

    /// Returns the violations of the contract.
    ///
    /// Call it after everything has finished.
    func complaints() -> [String] {
        for (_, gauge) in queues where gauge.wasExceeded { complain("Q1: too many execute") }
        for job in jobs {
            for text in job.complaints() { complain("\(text); \(job.account)") }
        }
        return seen.withLock { $0.complaints }
    }

    /// Releases the jobs.
    func forget() { seen.withLock { $0.jobs = [] } }

    // MARK: Running

    /// Starts the root and the disturbances.
    func start(finished: @escaping @Sendable () -> Void) {
        var random = WalkGenerator(seed: seed &+ 1)
        let root = StressJob(seed: random.next(), depth: 0, tree: self)
        root.completionBlock = finished
        let chance = Int.random(in: 0..<12, using: &random)
        if chance == 0 { root.cancelBeforeStart() }
        if chance == 1 { root.isSuspended = true }
        if Int.random(in: 0..<4, using: &random) == 0 { askWhileItRuns(root) }
        if Int.random(in: 0..<4, using: &random) == 0 { changeWidths(UInt64(chance)) }
        let entry = jobQueues[Int.random(in: 0..<jobQueues.count, using: &random)]
        root.startJob(on: entry)
        switch chance {
        case 1:
            root.isSuspended = false
        case 2...4:
            let wait = Int.random(in: 0..<200, using: &random)
            let place = Int.random(in: 0..<8, using: &random)
            disturb(after: wait) { [self] in
                let jobs = jobs
                if !jobs.isEmpty { jobs[place % jobs.count].cancel() }
            }
        case 5:
            disturb(after: Int.random(in: 0..<100, using: &random)) {
                for _ in 0..<3 {
                    root.isSuspended = true
                    root.isSuspended = false
                }
            }
        default:
            break
        }
    }

    func disturb(after turns: Int, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global()
            .async {
                Delay(spins: 100 * turns, yields: min(turns, 3)).pass()
                body()
            }
    }
}
