import Foundation
import JobKit

/// Runs a fan-out of working tasks, and records the activity of each thread.
struct CoreRound: Sendable {
    /// The queue or API that runs the tasks.
    enum Subject: String, CaseIterable, Sendable {
        case job = "JobController on TaskQueue"
        case operationQueue = "OperationQueue"
        case ideal = "ideal: lock, array, a thread for each core"
    }

    let count: Int
    let work: ProcessorWork

    /// The measurements of a round.
    struct Result: Sendable {
        let timeline: CoreTimeline
        let shares: CoreTimeline.Shares
        /// The duration of the round, in nanoseconds.
        let time: UInt64
    }

    /// Runs the tasks once.
    func run(_ subject: Subject) -> Result {
        let log = CoreLog(capacity: 4 * count + 16)
        let completions = Completions(expected: count)
        let used = ProcessorTime.ofProcess
        let begin = DispatchTime.now().uptimeNanoseconds
        let close = start(subject, log, completions)
        completions.wait()
        let end = DispatchTime.now().uptimeNanoseconds
        let usedThen = ProcessorTime.ofProcess
        close()
        let timeline = CoreTimeline(log.notes, begin: begin, end: end)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return Result(
            timeline: timeline,
            shares: timeline.shares(cores: cores, used: usedThen - used),
            time: end - begin
        )
    }

    /// Returns a closure that ends the subject's threads.
    private func start(
        _ subject: Subject,
        _ log: CoreLog,
        _ completions: Completions
    ) -> () -> Void {
        let perform: @Sendable () -> Void = { [work] in log.noting(.working) { work.perform() } }
        let complete: @Sendable () -> Void = {
            log.noting(.completing) {}
            completions.complete()
        }
        switch subject {
        case .job:
            let queue = TaskQueue()
            NotedJob(queue: queue, count: count, log: log, perform: perform, complete: complete)
                .startJob(on: queue)
            return { queue.drain() }
        case .operationQueue:
            let queue = OperationQueue()
            log.noting(.adding) {
                for _ in 0..<count {
                    let operation = BlockOperation(block: perform)
                    operation.completionBlock = complete
                    queue.addOperation(operation)
                }
            }
            return { queue.drain() }
        case .ideal:
            let cores = ProcessInfo.processInfo.activeProcessorCount
            let queue = IdealQueue(threadCount: cores)
            log.noting(.adding) {
                for _ in 0..<count { queue.add(perform, completion: complete) }
            }
            return { queue.close() }
        }
    }
}

/// A job that records when its `main()` runs.
///
/// Its tasks record their own work.
// Unchecked, like every Operation subclass: its own state is immutable and Sendable.
private final class NotedJob: JobController, @unchecked Sendable {
    private let count: Int
    private let log: CoreLog
    private let perform: @Sendable () -> Void
    private let complete: @Sendable () -> Void

    init(
        queue: TaskQueue,
        count: Int,
        log: CoreLog,
        perform: @escaping @Sendable () -> Void,
        complete: @escaping @Sendable () -> Void
    ) {
        (self.count, self.log) = (count, log)
        (self.perform, self.complete) = (perform, complete)
        super.init(queue: queue)
    }

    override func main() {
        log.noting(.adding) { [complete] in
            for _ in 0..<count { trackAndQueue(NotedTask(perform)) { _ in complete() } }
        }
    }
}

/// A task that runs a closure.
// Unchecked, like every Operation subclass: its only state is an immutable Sendable closure.
private final class NotedTask: ConcurrentOperation, @unchecked Sendable {
    private let perform: @Sendable () -> Void

    init(_ perform: @escaping @Sendable () -> Void) {
        self.perform = perform
        super.init()
    }

    override func main() {
        perform()
        finish()
    }
}
