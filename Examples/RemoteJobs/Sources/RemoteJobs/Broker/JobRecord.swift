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

/// What a task is known by in its job, over all lives of its controller: its work and its key.
struct TaskName: Hashable, Sendable {
    /// The work's name as it stands in a route; empty where a record does not say it.
    var work: Name
    var key: Name

    init(work: Name, key: Name) {
        self.work = work
        self.key = key
    }

    /// Takes the work's name from a route.
    init(route: Name, key: Name) {
        self.init(work: Layout.work(of: route), key: key)
    }
}

/// Where a record stands in its job's stream, to be read there again.
struct StreamPlace: Hashable, Sendable {
    let offset: Int
    /// How long the record's body is.
    let bytes: Int
}

/// What a job's stream says.
enum JobRecord<Body> {
    /// One task among several in a record.
    struct Task: Hashable {
        var name: TaskName
        var id: PublicationID
        var digest: UInt64?
        var key: Name { name.key }
    }

    /// A controller has begun to read.
    case life(String)
    /// A controller has declared the queues of a route: tasks of the job may be there.
    case route(Name)
    /// The broker has confirmed these tasks.
    case queued([Task])
    /// A worker has begun with these tasks; the number is the delivery's.
    case started([(Task, attempt: Int)], worker: WorkerIdentity)
    /// The broker has cut a worker off for holding these tasks too long, in its words.
    case overdue([Task], String)
    /// So much of these tasks is done.
    case progress([(Task, fraction: Double)])
    /// A task has ended.
    case ended(Task, TaskOutcome<Body>)
    /// The controller has withdrawn these tasks: they were cancelled and nobody runs them.
    case withdrawn([Task])
    /// A worker has read a round of cancels.
    case seen(round: String, worker: WorkerIdentity, routes: [Name])
}

/// Who a worker is: the name is its user's, the instance its own, different after each start.
struct WorkerIdentity: Hashable, Sendable {
    var name: Name
    var instance: Name
}

extension TaskOutcome {
    /// The same outcome; of a task that was given up, with what the broker has said of it.
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
