/// The end of a task.
enum TaskOutcome<Body> {
    /// The task succeeded with a value.
    case done(Body)
    /// The work failed with an error.
    case failed(Body)
    /// The task was abandoned as undeliverable after a number of deliveries.
    case undeliverable(deliveries: Int, reason: String)
    /// The task was cancelled.
    ///
    /// A later run of the job executes it again.
    case stopped
}

/// Identifies a task in all runs of its job by its work and its key.
struct TaskName: Hashable, Sendable {
    /// The work's name as it is in a route, or empty if a record does not contain it.
    var work: Name
    var key: Name

    init(work: Name, key: Name) {
        self.work = work
        self.key = key
    }

    /// Extracts the work's name from a route.
    init(route: Name, key: Name) {
        self.init(work: Layout.work(of: route), key: key)
    }
}

/// The position of a record in its job's stream, where it can be read again.
struct StreamPlace: Hashable, Sendable {
    let offset: Int
    /// The length of the record's body.
    let bytes: Int
}

/// A record in a job's stream.
enum JobRecord<Body> {
    /// A task that a record lists.
    struct Task: Hashable {
        var name: TaskName
        var id: PublicationID
        var digest: UInt64?
        var key: Name { name.key }
    }

    /// A controller has begun to read.
    case life(String)
    /// A controller has declared the queues of a route, which may contain tasks of the job.
    case route(Name)
    /// The broker has confirmed these tasks.
    case queued([Task])
    /// A worker has started these tasks.
    ///
    /// The number is that of the delivery.
    case started([(Task, attempt: Int)], worker: WorkerIdentity)
    /// The broker has disconnected a worker that held these tasks too long.
    ///
    /// The text is the broker's.
    case overdue([Task], String)
    /// The progress of these tasks.
    case progress([(Task, fraction: Double)])
    /// A task has ended.
    case ended(Task, TaskOutcome<Body>)
    /// The controller has withdrawn these cancelled tasks, and no worker runs them.
    case withdrawn([Task])
    /// A worker has read a cancel round.
    case seen(round: String, worker: WorkerIdentity, routes: [Name])
}

/// Identifies a worker by the name that its user chose and an instance that changes at each start.
struct WorkerIdentity: Hashable, Sendable {
    var name: Name
    var instance: Name
}

extension TaskOutcome {
    /// Adds the broker's explanation to the outcome of an undeliverable task.
    func explained(by words: String?) -> TaskOutcome {
        guard case .undeliverable(let deliveries, _) = self, let words else { return self }
        let reason =
            "it takes longer than the broker's consumer_timeout, which is set in rabbitmq.conf: "
            + words
        return .undeliverable(deliveries: deliveries, reason: reason)
    }
}

extension TaskOutcome: Equatable where Body: Equatable {}
extension TaskOutcome: Sendable where Body: Sendable {}
