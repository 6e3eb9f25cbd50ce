import Foundation
import JobJournal
import JobKit

/// Work that takes the same instructions, allocations and system calls in every run.
///
/// Every queue is limited to 1. Therefore, the order of the threads matters as little as possible.
enum CountedWork: String, CaseIterable, Sendable {
    case fanOut = "fan-out"
    case steps
    case observedFanOut = "observed-fan-out"
    case observedSteps = "observed-steps"
    case plainChain = "plain-chain"
    case asyncOperations = "async-operations"
    case limitedFanOut = "limited-fan-out"
    case journal
    case syncedJournal = "synced-journal"

    /// Does the work with `size` tasks, and writes a journal into the folder.
    ///
    /// - Throws: An error of the journal.
    func run(size: Int, folder: URL) throws {
        switch self {
        case .fanOut: Self.fanOut(size)
        case .steps: Self.steps(size)
        case .observedFanOut: Self.fanOut(size, watch: .emptyObserver)
        case .observedSteps: Self.steps(size, watch: .emptyObserver)
        case .plainChain: Self.plainChain(size)
        case .asyncOperations: Self.asyncOperations(size)
        case .limitedFanOut: Self.fanOut(size, limit: .seconds(3_600))
        case .journal: try Self.journal(size, safety: .processCrash, in: folder)
        case .syncedJournal: try Self.journal(size, safety: .powerLoss, in: folder)
        }
    }

    private static func fanOut(_ size: Int, watch: Watch = .nobody, limit: Duration? = nil) {
        run(watch) { queue in
            FanOutJob(queue: queue, size: size, completions: Completions(expected: size)) {
                let task = EmptyTask()
                if let limit { task.maximumRuntime = limit }
                return task
            }
        }
    }

    private static func steps(_ size: Int, watch: Watch = .nobody) {
        run(watch) { queue in
            let completions = Completions(expected: size)
            return StepsJob(queue: queue, steps: size) { _ in completions.complete() }
        }
    }

    private static func run(_ watch: Watch, _ make: (TaskQueue) -> JobController) {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let job = make(queue)
        _ = watch.begin(job)
        job.startJob(on: queue)
        job.waitUntilFinished()
        queue.drain()
    }

    /// Chains of the length that the bound has.
    private static func plainChain(_ size: Int) {
        for _ in 0..<(size / 1_000) {
            let queue = TaskQueue(maxConcurrentOperationCount: 1)
            let completions = Completions(expected: 1_000)
            let operations = (0..<1_000).map { _ in BlockOperation { completions.complete() } }
            for (earlier, later) in zip(operations, operations.dropFirst()) {
                later.addDependency(earlier)
            }
            for operation in operations { queue.addOperation(operation) }
            queue.drain()
        }
    }

    private static func asyncOperations(_ size: Int) {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        let completions = Completions(expected: size)
        queue.isSuspended = true
        for _ in 0..<size { queue.addOperation(AsyncOperation { completions.complete() }) }
        queue.isSuspended = false
        queue.drain()
    }

    private static func journal(
        _ size: Int,
        safety: JobJournal.Safety,
        in folder: URL
    ) throws {
        let journal = try JobJournal(at: folder, job: "counted", safety: safety)
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        for number in 0..<size {
            queue.addOperation(journal.step("step \(number)") { _ in number })
        }
        queue.drain()
        let closing = AsyncOperation { await journal.close() }
        closing.start()
        closing.waitUntilFinished()
    }
}
