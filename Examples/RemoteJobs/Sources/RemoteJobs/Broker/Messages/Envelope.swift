import AMQP
import NIOCore

/// Creates messages from records.
///
/// Properties hold the metadata, and the body holds only the payload as JSON. ``Intake`` reads
/// received messages.
package enum Envelope {
    /// The `type` property of a message.
    enum Kind: String {
        case task
        case life
        case route
        case queued
        case started
        case progress
        case overdue
        case done
        case failed
        case stopped
        case outcomes
        case withdrawn
        case seen
        case cancel
        case removed
        case tasks
    }

    enum Header {
        static let key = "key"
        static let work = "work"
        static let digest = "digest"
        static let limit = "limit"
        static let worker = "worker"
        static let instance = "instance"
        static let attempt = "attempt"
        static let returns = "returns"
        static let parts = "parts"
    }

    /// A task in a body that lists several.
    struct Entry: Codable {
        var k: Name
        var i: String
        var w: Name?
        var d: UInt64?
        var a: Int?
        var f: Double?

        init(_ task: JobRecord<ByteBuffer>.Task, attempt: Int? = nil, fraction: Double? = nil) {
            (k, i, w, d) = (task.key, task.id.text, task.name.work, task.digest)
            (a, f) = (attempt, fraction)
        }

        init(_ id: PublicationID) {
            (k, i) = ("", id.text)
        }
    }

    /// The content of a task's message.
    struct TaskMessage {
        let job: Name
        let name: TaskName
        let id: PublicationID
        let digest: UInt64?
        /// The highest number of redeliveries.
        let limit: Int
        /// How often the task has returned to its queue because its worker died.
        let returns: Int
        let priority: Int
        let route: Name
        let routingKey: String
        let properties: MessageProperties
        let body: ByteBuffer

        var key: Name { name.key }
        /// The task in the form of a record.
        var record: JobRecord<ByteBuffer>.Task { .init(name: name, id: id, digest: digest) }
    }

    // MARK: Properties

    private static func properties(_ kind: Kind) -> MessageProperties {
        var properties = MessageProperties()
        properties.deliveryMode = 2
        properties.type = kind.rawValue
        return properties
    }

    /// Adds a task's name to the properties.
    ///
    /// A long key goes into a header, because it does not fit into the short field.
    private static func set(_ name: TaskName, in properties: inout MessageProperties) {
        var headers: FieldTable = [Header.work: .string(name.work.text)]
        if name.key.utf8.count <= 255 {
            properties.messageID = name.key.text
        } else {
            headers[Header.key] = .string(name.key.text)
        }
        properties.headers = headers
    }

    /// Creates the properties of a task.
    package static func task(
        job: Name,
        route: Name,
        key: Name,
        id: PublicationID,
        digest: UInt64,
        limit: Int,
        priority: Int = 0
    ) -> MessageProperties {
        var properties = properties(.task)
        set(TaskName(route: route, key: key), in: &properties)
        properties.appID = job.text
        properties.correlationID = id.text
        if priority > 0 { properties.priority = UInt8(clamping: priority) }
        properties.headers?[Header.digest] = .int64(Int64(bitPattern: digest))
        properties.headers?[Header.limit] = .int32(Int32(clamping: limit))
        return properties
    }

    /// The properties for returning a task to its queue, as if no worker had taken it.
    static func propertiesToPutBack(_ task: TaskMessage) -> MessageProperties {
        var properties = ownProperties(task.properties)
        if task.returns > 0 {
            properties.headers?[Header.returns] = .int32(Int32(clamping: task.returns))
        }
        return properties
    }

    /// The properties of the record of an undeliverable task: the task's own, as in a dead letter.
    static func givenUp(_ task: TaskMessage) -> MessageProperties {
        ownProperties(task.properties)
    }

    /// Removes the headers that the broker has added, because a publisher must not set them.
    static func ownProperties(_ properties: MessageProperties) -> MessageProperties {
        var properties = properties
        properties.headers = (properties.headers ?? [:]).filter { !$0.key.hasPrefix("x-") }
        return properties
    }

    /// Creates the properties of a task's outcome or of another record about one task.
    static func outcome(
        _ kind: Kind,
        of task: TaskMessage,
        worker: WorkerIdentity,
        attempt: Int
    ) -> MessageProperties {
        var properties = properties(kind)
        set(task.name, in: &properties)
        properties.correlationID = task.id.text
        properties.headers?[Header.worker] = .string(worker.name.text)
        properties.headers?[Header.attempt] = .int32(Int32(clamping: attempt))
        if let digest = task.digest {
            properties.headers?[Header.digest] = .int64(Int64(bitPattern: digest))
        }
        return properties
    }

    /// Creates the properties of a record about a controller run or a cancel round.
    static func mark(_ kind: Kind, _ id: String, job: Name? = nil) -> MessageProperties {
        var properties = properties(kind)
        properties.appID = job?.text
        properties.correlationID = id
        return properties
    }

    /// Creates the properties of a worker's record.
    static func mark(
        _ kind: Kind,
        _ id: String? = nil,
        by worker: WorkerIdentity
    ) -> MessageProperties {
        var properties = properties(kind)
        properties.correlationID = id
        properties.headers = [
            Header.worker: .string(worker.name.text),
            Header.instance: .string(worker.instance.text),
        ]
        return properties
    }

    // MARK: Bodies

    /// Creates the body of a record about several tasks.
    static func body(of tasks: [JobRecord<ByteBuffer>.Task]) -> ByteBuffer {
        json(tasks.map { Entry($0) })
    }

    static func body(of started: [(JobRecord<ByteBuffer>.Task, attempt: Int)]) -> ByteBuffer {
        json(started.map { Entry($0, attempt: $1) })
    }

    static func body(of progress: [(JobRecord<ByteBuffer>.Task, fraction: Double)]) -> ByteBuffer {
        json(progress.map { Entry($0, fraction: $1) })
    }

    static func body(of ids: [PublicationID]) -> ByteBuffer {
        json(ids.map { Entry($0) })
    }

    /// Creates the body of a list of names: routes, or the controller runs of a job.
    ///
    /// The list is not a header, because a stream drops headers that are lists.
    static func body(ofNames names: [Name]) -> ByteBuffer {
        (try? body(of: names)) ?? ByteBuffer(string: "[]")
    }

    private static func json(_ entries: [Entry]) -> ByteBuffer {
        // Encoding texts and numbers cannot fail.
        (try? body(of: entries)) ?? ByteBuffer(string: "[]")
    }
}
