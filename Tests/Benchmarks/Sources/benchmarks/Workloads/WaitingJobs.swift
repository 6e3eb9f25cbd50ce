import Foundation
import JobKit

/// Measures the processor time of jobs that only wait.
enum WaitingJobs {
    static let name = "waiting jobs, over half a second"

    /// The workload.
    ///
    /// Its size is the number of jobs, which wait for one task each.
    static func workload(size: Int) -> Workload {
        let widths = [TaskQueue.defaultMaxConcurrentOperationCount, 2]
        return Workload(
            name,
            size: size,
            baseline: LimitedWidth.unlimited,
            rounds: 2,
            variants: widths.map { width in
                variant(
                    width == widths[0] ? LimitedWidth.unlimited : LimitedWidth.width(width),
                    width: width
                )
            }
        )
    }

    private static func variant(_ name: String, width: Int) -> Variant {
        Variant(name: name, figures: [.processor]) { size in
            let queue = TaskQueue(maxConcurrentOperationCount: width)
            let jobs = (0..<size).map { _ in WaitingJob(queue: queue) }
            for job in jobs { job.startJob(on: queue) }
            // Only the starts use the processor, and they have finished after this pause.
            Thread.sleep(forTimeInterval: 0.2)
            let before = ProcessorTime.ofProcess
            Thread.sleep(forTimeInterval: 0.5)
            let spent = ProcessorTime.ofProcess - before
            for job in jobs { job.task.finish() }
            for job in jobs { job.waitUntilFinished() }
            queue.drain()
            return [Reading(figure: .processor, value: Double(spent) / Double(size))]
        }
    }
}

/// A job that waits for one task, which the benchmark finishes.
// Unchecked, like every Operation subclass: its own state is a constant.
private final class WaitingJob: JobController, @unchecked Sendable {
    let task = PendingTask()

    override func main() { trackAndQueue(task) }
}
