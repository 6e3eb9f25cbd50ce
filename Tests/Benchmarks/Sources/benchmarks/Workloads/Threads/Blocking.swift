import Foundation
import JobKit

/// Operations that block their threads, on a queue with a concurrency limit.
enum Blocking {
    /// The concurrency limits of the queues.
    static let widths = [4, 16, 64]
    /// The time that each operation blocks, in milliseconds.
    static let lengths = [4, 20, 200]

    /// Returns all workloads.
    ///
    /// There are `perPlace` operations for each permit, or a fifth of them if they are long.
    static func workloads(perPlace: Int) -> [Workload] {
        lengths.flatMap { length in
            widths.map { workload(width: $0, milliseconds: length, perPlace: perPlace) }
        }
    }

    /// Returns the bounds on blocking, relative to the ideal duration and to `OperationQueue`.
    static func bounds(perPlace: Int) -> [Bound] {
        workloads(perPlace: perPlace)
            .flatMap { workload in
                [
                    Bound(
                        work: "\(workload.name), beyond the ideal",
                        subject: workload.series(VariantName.taskQueue, .overhead),
                        reference: nil,
                        limits: Bound.Limits(atMost: 0.5, aim: 0.15)
                    ),
                    Bound(
                        work: "\(workload.name), against OperationQueue",
                        subject: workload.series(VariantName.taskQueue, .cost),
                        reference: workload.series(VariantName.operationQueue, .cost),
                        limits: Bound.Limits(atMost: 0.8, aim: 0.4)
                    ),
                ]
            }
    }

    private static func workload(width: Int, milliseconds: Int, perPlace: Int) -> Workload {
        let isLong = milliseconds >= 100
        return Workload(
            "operations that block for \(milliseconds) ms, width \(width)",
            size: width * (isLong ? max(1, perPlace / 5) : perPlace),
            rounds: milliseconds < 10 ? 3 : 1,
            variants: [
                variant(VariantName.taskQueue, width, milliseconds) { trial, block in
                    let queue = TaskQueue(maxConcurrentOperationCount: width)
                    trial.time { for _ in 0..<trial.size { queue.addOperation(block) } }
                    queue.drain()
                },
                variant(VariantName.operationQueue, width, milliseconds) { trial, block in
                    let queue = OperationQueue()
                    queue.maxConcurrentOperationCount = width
                    trial.time { for _ in 0..<trial.size { queue.addOperation(block) } }
                    queue.drain()
                },
            ]
        )
    }

    /// Measures the time per operation, and the overhead beyond the ideal duration.
    private static func variant(
        _ name: String,
        _ width: Int,
        _ milliseconds: Int,
        _ body: @escaping @Sendable (CostTrial, _ block: @escaping @Sendable () -> Void) -> Void
    ) -> Variant {
        Variant(name: name, figures: [.cost, .overhead]) { size in
            let trial = CostTrial(size: size)
            let completions = trial.completions
            body(trial) {
                Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
                completions.complete()
            }
            let cost = trial.nanosecondsPerTask
            let turns = (size + width - 1) / width
            let ideal = Double(turns * milliseconds) * 1e6
            return [
                Reading(figure: .cost, value: cost),
                Reading(figure: .overhead, value: cost * Double(size) / ideal - 1),
            ]
        }
    }
}
