import JobKit

/// A job that has not started, with a closure that reads its result.
public struct PreparedJob: Sendable {
    /// The job.
    public let job: JobController

    let result: @Sendable () throws -> (any Encodable & Sendable)?

    /// Prepares a job.
    ///
    /// - Parameters:
    ///   - job: The job, which must not have been started.
    ///   - result: Reads the result after the end, even after cancellation or failure. It returns
    ///     nil if there is none.
    public init(
        _ job: JobController,
        result: @escaping @Sendable () throws -> (any Encodable & Sendable)? = { nil }
    ) {
        self.job = job
        self.result = result
    }

    /// Prepares a job, and uses its value as the run's result.
    ///
    /// - Parameter job: The job, which must not have been started.
    public init<Success: Encodable & Sendable>(valueOf job: ResultJob<Success>) {
        self.init(job) { try? job.result?.get() }
    }
}
