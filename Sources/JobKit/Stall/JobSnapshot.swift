/// A job and its unfinished tasks at one moment, as a value to send or to show.
///
/// ``JobController/snapshot(limit:)`` creates it.
public struct JobSnapshot: Codable, Hashable, Identifiable, Sendable {
    /// Whether an operation runs, or how it ended.
    public enum State: String, Codable, Sendable {
        /// The operation was not started.
        case waiting
        /// The operation was started and has not finished.
        case executing
        /// The operation has finished as a success.
        case succeeded
        /// The operation has failed or timed out.
        case failed
        /// The operation has finished as cancelled.
        case cancelled
    }

    /// The operation's number in events: its `operationID`.
    public let id: Int
    /// The operation's name, or its type's.
    public let name: String
    /// The name of the operation's exact type.
    public let type: String
    /// Whether the operation waits, executes, or how it ended.
    public let state: State
    /// How much of its work is done, from 0 to 1.
    public let fractionCompleted: Double
    /// How many tasks the job has tracked so far, or 0 for an operation that is not a job.
    public let trackedCount: Int
    /// How many of them have finished, including those that failed or were cancelled.
    public let finishedCount: Int
    /// How many of them have failed.
    public let failedCount: Int
    /// The job's tasks that have not finished, in the order tracked.
    public internal(set) var unfinished: [JobSnapshot]
    /// How many unfinished tasks of the job ``unfinished`` leaves out.
    public internal(set) var omittedCount: Int
}
