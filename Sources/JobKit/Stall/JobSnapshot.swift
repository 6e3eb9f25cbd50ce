/// A job and its unfinished tasks at one moment: a value to send or to show.
///
/// ``JobController/snapshot(limit:)`` makes one.
public struct JobSnapshot: Codable, Hashable, Sendable {
    /// The operation's number in events: its `operationID`.
    public let id: Int
    /// The operation's name, or its type's.
    public let name: String
    /// The name of the operation's exact type.
    public let type: String
    /// `waiting`, `executing`, or how it ended: `succeeded`, `failed` or `cancelled`.
    public let state: String
    /// How much of its work is done, from 0 to 1.
    public let fractionCompleted: Double
    /// How many tasks the job has tracked so far; 0 for an operation that is not a job.
    public let trackedCount: Int
    /// How many of them have finished, including those that failed or were cancelled.
    public let finishedCount: Int
    /// How many of them have failed.
    public let failedCount: Int
    /// The job's tasks that have not finished, in the order tracked.
    public let unfinished: [JobSnapshot]
    /// How many unfinished tasks of the job ``unfinished`` leaves out.
    public let omittedCount: Int
}
