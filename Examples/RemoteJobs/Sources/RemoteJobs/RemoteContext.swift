import Foundation

/// Information about a running task, except its input.
public final class RemoteContext: Sendable {
    /// The key of the task in its job.
    public let key: String
    /// The number of this delivery of the task, from 1.
    ///
    /// If it is above 1, an earlier delivery may have started the task.
    public let attempt: Int
    /// The worker's name.
    public let worker: String
    private let report: @Sendable (Double) -> Void

    init(key: String, attempt: Int, worker: String, report: @escaping @Sendable (Double) -> Void) {
        self.key = key
        self.attempt = attempt
        self.worker = worker
        self.report = report
    }

    /// Reports the progress of the task to the controller.
    ///
    /// Reports are sent at most five times a second and may be lost.
    ///
    /// > Thread: Any.
    ///
    /// - Parameter fraction: The part of the work that is done, 0 to 1. Other values are clamped.
    public func reportProgress(_ fraction: Double) {
        report(fraction.isNaN ? 0 : min(1, max(0, fraction)))
    }
}
