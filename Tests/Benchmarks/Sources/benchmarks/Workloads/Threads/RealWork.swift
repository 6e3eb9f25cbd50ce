import Foundation
import JobKit

/// A fan-out of tasks that work for a while.
///
/// The important figure is the overhead as a fraction of the work.
enum RealWork {
    /// The working times of the tasks, in microseconds.
    static let lengths = [10, 100, 1_000]
    /// The sum of the working times in a round, in microseconds.
    static let totalLength = 100_000
    private static let idealName = "ideal: lock, array, a thread for each core"

    /// Returns a workload with as many tasks as fill ``totalLength``.
    static func workload(microseconds: Int) -> Workload {
        let work = ProcessorWork(nanoseconds: UInt64(microseconds) * 1_000)
        return Workload(
            "tasks of \(NumberText.grouped(microseconds)) µs",
            size: totalLength / microseconds,
            rounds: 9,
            variants: [job(work), operationQueue(work), ideal(work)]
        )
    }

    /// The bounds on working tasks, compared to an `OperationQueue` and to the ideal queue.
    static var bounds: [Bound] {
        let limits = [
            Bound.Limits(atMost: 1, aim: 0.85), Bound.Limits(atMost: 1.02, aim: 0.98),
            Bound.Limits(atMost: 1.02, aim: 1),
        ]
        let besideQueue = zip(lengths, limits)
            .map { length, limits in
                bound(length, to: VariantName.operationQueue, as: "OperationQueue", limits)
            }
        let toIdeal = Bound.Limits(atMost: 1.1, aim: 1.04)
        return besideQueue + [bound(100, to: idealName, as: "the hand-written ideal", toIdeal)]
    }

    private static func bound(
        _ microseconds: Int,
        to reference: String,
        as name: String,
        _ limits: Bound.Limits
    ) -> Bound {
        let workload = workload(microseconds: microseconds)
        return Bound(
            work: "\(workload.name) against \(name)",
            subject: workload.series(VariantName.jobOnTaskQueue, .cost),
            reference: workload.series(reference, .cost),
            limits: limits
        )
    }

    private static func job(_ work: ProcessorWork) -> Variant {
        variant(VariantName.jobOnTaskQueue, work) { trial in
            let queue = TaskQueue()
            let (size, completions) = (trial.size, trial.completions)
            trial.time {
                FanOutJob(queue: queue, size: size, completions: completions) { WorkingTask(work) }
                    .startJob(on: queue)
            }
            queue.drain()
        }
    }

    private static func operationQueue(_ work: ProcessorWork) -> Variant {
        variant(VariantName.operationQueue, work) { trial in
            let queue = OperationQueue()
            let completions = trial.completions
            trial.time {
                for _ in 0..<trial.size {
                    let operation = BlockOperation { work.perform() }
                    operation.completionBlock = { completions.complete() }
                    queue.addOperation(operation)
                }
            }
            queue.drain()
        }
    }

    private static func ideal(_ work: ProcessorWork) -> Variant {
        variant(idealName, work) { trial in
            let queue = IdealQueue(threadCount: ProcessInfo.processInfo.activeProcessorCount)
            let completions = trial.completions
            trial.time {
                for _ in 0..<trial.size {
                    queue.add {
                        work.perform()
                    } completion: {
                        completions.complete()
                    }
                }
            }
            queue.close()
        }
    }

    /// Measures a round, and how much longer it took than its work alone on all cores.
    private static func variant(
        _ name: String,
        _ work: ProcessorWork,
        _ body: @escaping @Sendable (CostTrial) -> Void
    ) -> Variant {
        Variant(name: name, figures: [.cost, .overhead]) { size in
            let trial = CostTrial(size: size)
            body(trial)
            let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
            let cost = trial.nanosecondsPerTask
            let share = cost * cores / Double(work.nanoseconds) - 1
            return [
                Reading(figure: .cost, value: cost), Reading(figure: .overhead, value: share),
            ]
        }
    }
}
