import JobKit

/// A job that was not started, with what reads its result.
public struct PreparedJob: Sendable {
    /// The job.
    public let job: JobController

    let result: @Sendable () throws -> (any Encodable & Sendable)?

    /// Prepares a job.
    ///
    /// - Parameters:
    ///   - job: The job, which must not have been started.
    ///   - result: Reads its result when it has ended, also after a cancel or a failure; nil if it has none.
    public init(
        _ job: JobController,
        result: @escaping @Sendable () throws -> (any Encodable & Sendable)? = { nil }
    ) {
        self.job = job
        self.result = result
    }

    /// Prepares a job whose value is the run's result.
    ///
    /// - Parameter job: The job, which must not have been started.
    public init<Success: Encodable & Sendable>(valueOf job: ResultJob<Success>) {
        self.init(job) { try? job.result?.get() }
    }
}
