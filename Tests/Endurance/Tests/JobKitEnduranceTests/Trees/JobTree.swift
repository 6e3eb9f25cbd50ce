import Foundation
import Synchronization

@testable import JobKit

/// Counts the jobs that live.
final class LivingJobs: Sendable {
    private let jobs = Atomic(0)

    var count: Int { jobs.load(ordering: .acquiring) }

    func add(_ number: Int) { jobs.add(number, ordering: .acquiringAndReleasing) }
}

/// One random tree of jobs: where they run, what disturbs them, and what was seen of them.
final class JobTree: Sendable {
    let seed: UInt64
    let living: LivingJobs
    /// Where tasks go; the gauge counts those that execute there, up to the width.
    let queues: [(queue: any OperationScheduling, gauge: Gauge)]
    /// Where jobs go: one queue of limited width at most.
    ///
    /// Of two, the jobs in each could wait for tasks in the other, for ever: J12 speaks of tasks that
    /// are put into the queue of a job above.
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

    // MARK: What was seen

    var jobs: [StressJob] { seen.withLock { $0.jobs } }

    /// Returns the job's number.
    func add(_ job: StressJob) -> Int {
        seen.withLock { seen in
            seen.jobs.append(job)
            return seen.jobs.count - 1
        }
    }

    func complain(_ text: String) { seen.withLock { $0.complaints.append(text) } }

    /// What contradicts the contract; to be asked when nothing is under way.
    func complaints() -> [String] {
        for (_, gauge) in queues where gauge.wasExceeded { complain("Q1: too many execute") }
        for job in jobs {
            for text in job.complaints() { complain("\(text); \(job.account)") }
        }
        return seen.withLock { $0.complaints }
    }

    /// Lets go of the jobs.
    func forget() { seen.withLock { $0.jobs = [] } }

    // MARK: Running

    /// Starts the root, and what disturbs it.
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
