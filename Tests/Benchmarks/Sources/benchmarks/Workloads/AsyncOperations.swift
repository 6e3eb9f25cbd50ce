import Foundation
import JobKit

/// `AsyncOperation`s that return at once, which leaves the cost of Swift's threads.
enum AsyncOperations {
    private static let actorQueue = "an actor with an array, one Task per element"
    private static let widths = [1, 4]

    /// The operations on a queue with a concurrency limit.
    ///
    /// The workload's size is their number.
    static func limited(to width: Int, size: Int) -> Workload {
        Workload(
            "AsyncOperations, limited to \(width)",
            size: size,
            baseline: VariantName.operationQueue,
            rounds: 9,
            variants: [
                .costs(VariantName.taskQueue) { trial in
                    let queue = TaskQueue(maxConcurrentOperationCount: width)
                    trial.time { for _ in 0..<trial.size { queue.addOperation(made(trial)) } }
                    queue.drain()
                },
                .costs(VariantName.operationQueue) { trial in
                    let queue = OperationQueue()
                    queue.maxConcurrentOperationCount = width
                    trial.time { for _ in 0..<trial.size { queue.addOperation(made(trial)) } }
                    queue.drain()
                },
                .costs(actorQueue) { trial in
                    let (size, completions) = (trial.size, trial.completions)
                    let queue = ActorQueue(width: width)
                    trial.time {
                        Task { for _ in 0..<size { await queue.add { completions.complete() } } }
                    }
                },
            ]
        )
    }

    /// The operations as tasks of a job without a limit.
    ///
    /// The workload's size is their number.
    static func ofAJob(size: Int) -> Workload {
        Workload(
            "AsyncOperations of a job",
            size: size,
            baseline: VariantName.taskGroup,
            rounds: 9,
            variants: [
                .costs(VariantName.jobOnTaskQueue) { trial in
                    let queue = TaskQueue()
                    var job: JobController?
                    trial.time {
                        let started = FanOutJob(
                            queue: queue,
                            size: trial.size,
                            completions: trial.completions
                        ) { AsyncOperation {} }
                        started.startJob(on: queue)
                        job = started
                    }
                    job?.waitUntilFinished()
                    queue.drain()
                },
                .costs(VariantName.taskGroup) { trial in
                    let (size, completions) = (trial.size, trial.completions)
                    trial.time {
                        _ = Task.detached {
                            await withTaskGroup(of: Void.self) { group in
                                for _ in 0..<size { group.addTask {} }
                                for await _ in group { completions.complete() }
                            }
                        }
                    }
                },
            ]
        )
    }

    /// All workloads.
    static func workloads(size: Int, ofAJob tasks: Int) -> [Workload] {
        widths.map { limited(to: $0, size: size) } + [ofAJob(size: tasks)]
    }

    /// The bounds on their costs.
    static func bounds(size: Int, ofAJob tasks: Int) -> [Bound] {
        let onQueues = widths.flatMap { width -> [Bound] in
            let workload = limited(to: width, size: size)
            return [
                Bound(
                    work: "\(workload.name), processor time against OperationQueue",
                    subject: workload.series(VariantName.taskQueue, .processor),
                    reference: workload.series(VariantName.operationQueue, .processor),
                    limits: Bound.Limits(atMost: 0.8, aim: 0.5)
                ),
                Bound(
                    work: "\(workload.name), against a hand-written actor queue",
                    subject: workload.series(VariantName.taskQueue, .cost),
                    reference: workload.series(actorQueue, .cost),
                    limits: Bound.Limits(atMost: 2.5, aim: 1.5)
                ),
            ]
        }
        let job = ofAJob(size: tasks)
        return onQueues + [
            Bound(
                work: "\(job.name) against withTaskGroup",
                subject: job.series(VariantName.jobOnTaskQueue, .cost),
                reference: job.series(VariantName.taskGroup, .cost),
                limits: Bound.Limits(atMost: 2, aim: 1.2)
            )
        ]
    }

    private static func made(_ trial: CostTrial) -> AsyncOperation<Void> {
        let completions = trial.completions
        return AsyncOperation { completions.complete() }
    }
}

/// A queue of closures as an app developer would write it.
private actor ActorQueue {
    private let width: Int
    private var executingCount = 0
    private var waiting: [@Sendable () async -> Void] = []
    private var next = 0

    init(width: Int) { self.width = width }

    func add(_ body: @escaping @Sendable () async -> Void) {
        waiting.append(body)
        startNext()
    }

    private func startNext() {
        while executingCount < width, next < waiting.count {
            let body = waiting[next]
            next += 1
            executingCount += 1
            Task {
                await body()
                ended()
            }
        }
    }

    private func ended() {
        executingCount -= 1
        startNext()
    }
}
