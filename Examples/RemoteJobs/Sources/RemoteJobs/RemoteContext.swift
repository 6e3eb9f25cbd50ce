import Foundation

/// What a worker knows of a task that it runs, beside its input.
public final class RemoteContext: Sendable {
    /// What the task is known by in its job.
    public let key: String
    /// Which delivery of the task it is, from 1: above 1, it may have been begun before.
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

    /// Tells the controller how much of the task is done.
    ///
    /// It is sent at most five times a second, and without a guarantee.
    ///
    /// > Thread: Any.
    ///
    /// - Parameter fraction: From 0 to 1; anything else is taken as the nearer of the two.
    public func reportProgress(_ fraction: Double) {
        report(fraction.isNaN ? 0 : min(1, max(0, fraction)))
    }
}
