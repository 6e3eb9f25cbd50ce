import Foundation
import JobKit

/// The fan-out of a job that somebody watches, against the same job that nobody watches.
enum WatchedFanOut {
    static let unwatched = "nobody watches"

    static func workload(size: Int) -> Workload {
        Workload(
            "watched fan-out",
            size: size,
            baseline: unwatched,
            variants: [
                variant(unwatched) { _ in },
                variant("nobody watches, once more") { _ in },
                variant("progress") { _ = $0.progress },
                variant("an observer that does nothing") { $0.addObserver(IdleObserver()) },
                variant("TimelineRecorder") { $0.addObserver(TimelineRecorder()) },
            ]
        )
    }

    private static func variant(
        _ name: String,
        watch: @escaping @Sendable (JobController) -> Void
    ) -> Variant {
        .cost(name) { trial in
            let queue = TaskQueue()
            let job = FanOutJob(
                queue: queue,
                size: trial.size,
                completions: trial.completions,
                makeTask: { EmptyTask() }
            )
            watch(job)
            trial.time { job.startJob(on: queue) }
            job.waitUntilFinished()
            queue.waitUntilAllOperationsAreFinished()
        }
    }
}
