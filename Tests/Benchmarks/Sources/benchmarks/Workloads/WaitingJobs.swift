import Foundation
import JobKit

/// Jobs that only wait: what they cost the processors meanwhile.
enum WaitingJobs {
    static let name = "waiting jobs, over half a second"

    /// The workload; its size counts the jobs, each of which waits for one task.
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
            // What starts, starts at once.
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

/// A job that waits for one task, which somebody else finishes.
// Unchecked, as every Operation subclass: its own state is a constant.
private final class WaitingJob: JobController, @unchecked Sendable {
    let task = PendingTask()

    override func main() { trackAndQueue(task) }
}
