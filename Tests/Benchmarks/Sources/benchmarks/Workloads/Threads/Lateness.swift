import Dispatch
import Foundation

/// Measures how long operations wait for their start while threads are available.
enum Lateness: String, CaseIterable {
    case behindLong = "tiny tasks behind one of 10 ms"
    case adding = "a task that adds another and works on for 50 µs"
    case burst = "a burst after a pause"

    private static let burstSize = 50
    private static let pause: TimeInterval = 2e-3

    /// Returns the workload.
    ///
    /// Its size is the number of measured operations.
    func workload(size: Int) -> Workload {
        Workload(
            "lateness, \(rawValue)",
            size: size,
            rounds: 9,
            variants: [
                variant(VariantName.taskQueue, .taskQueue),
                variant(VariantName.operationQueue, .operationQueue),
            ]
        )
    }

    /// Returns the bounds on the 99th percentile.
    static func bounds(size: Int) -> [Bound] {
        allCases.map { shape in
            let workload = shape.workload(size: size)
            return Bound(
                work: "\(workload.name), p99, against OperationQueue",
                subject: workload.series(VariantName.taskQueue, .p99),
                reference: workload.series(VariantName.operationQueue, .p99),
                limits: Bound.Limits(atMost: 1.2, aim: 0.5)
            )
        }
    }

    private func variant(_ name: String, _ kind: QueueKind) -> Variant {
        Variant(name: name, figures: [.p50, .p99]) { size in
            let (queue, starts) = (kind.make(), Starts(count: size))
            switch self {
            case .behindLong: Self.runBehindLong(on: queue, starts)
            // Each operation is added before the previous one ends, so only the last leaves the
            // queue empty.
            case .adding: Self.addNext(0, to: queue, starts)
            case .burst: Self.runBursts(on: queue, starts)
            }
            queue.drain()
            let latenesses = starts.summary
            return [
                Reading(figure: .p50, value: latenesses.median),
                Reading(figure: .p99, value: latenesses.quantile(0.99)),
            ]
        }
    }

    /// Runs tiny operations and a long one among them.
    ///
    /// Only those behind the long one count.
    private static func runBehindLong(on queue: any BenchmarkQueue, _ starts: Starts) {
        let long = ProcessorWork(nanoseconds: 10_000_000)
        for first in stride(from: 0, to: starts.count, by: burstSize) {
            for _ in 0..<burstSize { queue.add {} }
            queue.add { long.perform() }
            for number in first..<min(first + burstSize, starts.count) {
                starts.add(number, to: queue)
            }
            queue.drain()
        }
    }

    private static func addNext(_ number: Int, to queue: any BenchmarkQueue, _ starts: Starts) {
        let work = ProcessorWork(nanoseconds: 50_000)
        starts.add(number, to: queue) {
            if number + 1 < starts.count { addNext(number + 1, to: queue, starts) }
            work.perform()
        }
    }

    private static func runBursts(on queue: any BenchmarkQueue, _ starts: Starts) {
        for first in stride(from: 0, to: starts.count, by: burstSize) {
            Thread.sleep(forTimeInterval: pause)
            for number in first..<min(first + burstSize, starts.count) {
                starts.add(number, to: queue)
            }
            queue.drain()
        }
    }
}

/// The times at which operations were added and started.
private final class Starts: Sendable {
    let count: Int
    let completions: Completions
    /// Each element is written only by the operation with its index, before its completion counts.
    nonisolated(unsafe) private let latenesses: UnsafeMutableBufferPointer<Double>

    init(count: Int) {
        self.count = count
        completions = Completions(expected: count)
        latenesses = .allocate(capacity: count)
        latenesses.initialize(repeating: 0)
    }

    deinit { latenesses.deallocate() }

    /// Adds an operation, which records its lateness when it starts and then does its work.
    func add(
        _ number: Int,
        to queue: any BenchmarkQueue,
        work: @escaping @Sendable () -> Void = {}
    ) {
        let added = DispatchTime.now().uptimeNanoseconds
        queue.add { [self] in
            latenesses[number] = Double(DispatchTime.now().uptimeNanoseconds - added)
            work()
            completions.complete()
        }
    }

    /// The latenesses.
    ///
    /// Traps if an operation did not run.
    var summary: Summary {
        completions.wait()
        completions.verify()
        guard let summary = Summary(Array(latenesses)) else { fatalError("nothing was added") }
        return summary
    }
}
