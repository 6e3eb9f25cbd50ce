/// How a task ended.
enum TaskOutcome<Body> {
    /// With a value.
    case done(Body)
    /// With an error of the work's own.
    case failed(Body)
    /// Given up after so many deliveries.
    case undeliverable(deliveries: Int, reason: String)
    /// Cancelled; a later life of the job runs it again.
    case stopped
}

/// What a job's stream says.
enum JobRecord<Body> {
    /// One task among several in a record.
    struct Task: Hashable {
        var key: String
        var id: PublicationID
        var digest: UInt64?
    }

    /// A controller has begun to read.
    case life(String)
    /// A controller has declared the queues of a route: tasks of the job may be there.
    case route(String)
    /// The broker has confirmed these tasks.
    case queued([Task])
    /// A worker has begun with these tasks; the number is the delivery's.
    case started([(Task, attempt: Int)], worker: WorkerIdentity)
    /// So much of these tasks is done.
    case progress([(key: String, fraction: Double)])
    /// A task has ended.
    case ended(Task, TaskOutcome<Body>)
    /// The controller has withdrawn these tasks: they were cancelled and nobody runs them.
    case withdrawn([Task])
    /// A worker has read a round of cancels.
    case seen(round: String, worker: WorkerIdentity, routes: [String])
}

/// Who a worker is: the name is its user's, the instance its own, different after each start.
struct WorkerIdentity: Hashable, Sendable {
    var name: String
    var instance: String
}

extension TaskOutcome: Equatable where Body: Equatable {}
extension TaskOutcome: Sendable where Body: Sendable {}
