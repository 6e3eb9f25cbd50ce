import AMQP
import NIOCore

/// Makes messages of records, and records of messages.
///
/// What is about a message travels in its properties; a body is the JSON of the payload alone.
package enum Envelope {
    /// What a message's `type` says.
    enum Kind: String {
        case task
        case life
        case route
        case queued
        case started
        case progress
        case done
        case failed
        case stopped
        case outcomes
        case withdrawn
        case seen
        case cancel
        case removed
    }

    private enum Header {
        static let key = "key"
        static let digest = "digest"
        static let limit = "limit"
        static let worker = "worker"
        static let instance = "instance"
        static let attempt = "attempt"
        static let returns = "returns"
    }

    /// A task as one of several in a body.
    private struct Entry: Codable {
        var k: String
        var i: String
        var d: UInt64?
        var a: Int?
        var f: Double?
    }

    /// A task as its message says it.
    struct TaskMessage {
        let job: String
        let key: String
        let id: PublicationID
        let digest: UInt64?
        /// How often it may be delivered again.
        let limit: Int
        let routingKey: String
        let properties: MessageProperties
        let body: ByteBuffer
    }

    // MARK: Properties

    private static func properties(_ kind: Kind) -> MessageProperties {
        var properties = MessageProperties()
        properties.deliveryMode = 2
        properties.type = kind.rawValue
        return properties
    }

    /// Puts a key into the properties: a long one does not fit where a short one stands.
    private static func set(_ key: String, in properties: inout MessageProperties) {
        if key.utf8.count <= 255 {
            properties.messageID = key
        } else {
            properties.headers = [Header.key: .string(key)]
        }
    }

    private static func key(of properties: MessageProperties) -> String? {
        properties.messageID ?? properties.headers?[Header.key]?.text
    }

    private static func digest(of properties: MessageProperties) -> UInt64? {
        properties.headers?[Header.digest]?.integer.map { UInt64(bitPattern: Int64($0)) }
    }

    /// The properties of a task.
    package static func task(
        job: String,
        key: String,
        id: PublicationID,
        digest: UInt64,
        limit: Int
    ) -> MessageProperties {
        var properties = properties(.task)
        set(key, in: &properties)
        properties.appID = job
        properties.correlationID = id.text
        properties.headers = (properties.headers ?? [:])
            .merging(
                [
                    Header.digest: .int64(Int64(bitPattern: digest)),
                    Header.limit: .int32(Int32(clamping: limit)),
                ],
                uniquingKeysWith: { $1 }
            )
        return properties
    }

    /// Reads a task's message; nil if it is none.
    static func task(in message: Message) -> TaskMessage? {
        let properties = message.properties
        guard properties.type == Kind.task.rawValue, let job = properties.appID,
            let key = key(of: properties),
            let id = properties.correlationID.flatMap(PublicationID.init)
        else { return nil }
        return TaskMessage(
            job: job,
            key: key,
            id: id,
            digest: digest(of: properties),
            limit: properties.headers?[Header.limit]?.integer ?? 0,
            routingKey: message.routingKey,
            properties: properties,
            body: message.body
        )
    }

    /// How often a task's message has come back to its queue, because its worker died.
    static func returns(of message: Message) -> Int {
        (message.header("x-delivery-count")?.integer ?? 0)
            + (message.header(Header.returns)?.integer ?? 0)
    }

    /// The properties with which a message that was taken goes back, as if it had not been taken.
    static func propertiesToPutBack(_ message: Message) -> MessageProperties {
        var properties = ownProperties(message.properties)
        let count = returns(of: message)
        if count > 0 { properties.headers?[Header.returns] = .int32(Int32(clamping: count)) }
        return properties
    }

    /// The properties of the record that a task is given up: the task's own, as in a dead letter.
    static func givenUp(_ task: TaskMessage) -> MessageProperties {
        ownProperties(task.properties)
    }

    /// Properties without what the broker has added, which is not a publisher's to say.
    private static func ownProperties(_ properties: MessageProperties) -> MessageProperties {
        var properties = properties
        properties.headers = (properties.headers ?? [:]).filter { !$0.key.hasPrefix("x-") }
        return properties
    }

    /// The properties of a task's outcome or other single record.
    static func outcome(
        _ kind: Kind,
        of task: TaskMessage,
        worker: WorkerIdentity,
        attempt: Int
    ) -> MessageProperties {
        var properties = properties(kind)
        set(task.key, in: &properties)
        properties.correlationID = task.id.text
        var headers = properties.headers ?? [:]
        headers[Header.worker] = .string(worker.name)
        headers[Header.attempt] = .int32(Int32(clamping: attempt))
        if let digest = task.digest { headers[Header.digest] = .int64(Int64(bitPattern: digest)) }
        properties.headers = headers
        return properties
    }

    /// The properties of a record that is about a controller's life, or a round of cancels.
    static func mark(_ kind: Kind, _ id: String, job: String? = nil) -> MessageProperties {
        var properties = properties(kind)
        properties.appID = job
        properties.correlationID = id
        return properties
    }

    /// The properties of a worker's record.
    static func mark(
        _ kind: Kind,
        _ id: String? = nil,
        by worker: WorkerIdentity
    ) -> MessageProperties {
        var properties = properties(kind)
        properties.correlationID = id
        properties.headers = [
            Header.worker: .string(worker.name), Header.instance: .string(worker.instance),
        ]
        return properties
    }

    // MARK: Bodies

    /// The body of a record about several tasks.
    static func body(of tasks: [JobRecord<ByteBuffer>.Task]) -> ByteBuffer {
        json(tasks.map { Entry(k: $0.key, i: $0.id.text, d: $0.digest) })
    }

    static func body(of started: [(JobRecord<ByteBuffer>.Task, attempt: Int)]) -> ByteBuffer {
        json(started.map { Entry(k: $0.key, i: $0.id.text, d: $0.digest, a: $1) })
    }

    static func body(of progress: [(key: String, fraction: Double)]) -> ByteBuffer {
        json(progress.map { Entry(k: $0.key, i: "", f: $0.fraction) })
    }

    static func body(of ids: [PublicationID]) -> ByteBuffer {
        json(ids.map { Entry(k: "", i: $0.text) })
    }

    /// The body of a record that is a list of names: routes, or lives of a job's controllers.
    ///
    /// It is no header, since a stream drops headers that are lists.
    static func body(ofNames names: [String]) -> ByteBuffer {
        (try? body(of: names)) ?? ByteBuffer(string: "[]")
    }

    static func names(in message: Message) -> [String]? {
        try? value([String].self, in: message.body)
    }

    private static func json(_ entries: [Entry]) -> ByteBuffer {
        // Encoding texts and numbers cannot fail.
        (try? body(of: entries)) ?? ByteBuffer(string: "[]")
    }

    private static func entries(in message: Message) -> [Entry] {
        (try? value([Entry].self, in: message.body)) ?? []
    }

    /// The publications that a round of cancels names.
    static func cancelled(in message: Message) -> [PublicationID] {
        entries(in: message).compactMap { PublicationID($0.i) }
    }

    // MARK: Records

    /// Reads a message of a job's stream; nil if it is from nobody that this package knows.
    static func record(in message: Message) -> JobRecord<ByteBuffer>? {
        let properties = message.properties
        guard let kind = properties.type.flatMap(Kind.init) else { return nil }
        switch kind {
        case .life: return properties.correlationID.map { .life($0) }
        case .route: return properties.correlationID.map { .route($0) }
        case .queued: return .queued(tasks(in: message))
        case .withdrawn: return .withdrawn(tasks(in: message))
        case .started:
            guard let worker = worker(of: properties) else { return nil }
            return .started(
                entries(in: message)
                    .compactMap { entry in task(of: entry).map { ($0, attempt: entry.a ?? 1) } },
                worker: worker
            )
        case .progress:
            return .progress(entries(in: message).map { (key: $0.k, fraction: $0.f ?? 0) })
        case .seen:
            guard let id = properties.correlationID, let worker = worker(of: properties),
                let routes = names(in: message)
            else { return nil }
            return .seen(round: id, worker: worker, routes: routes)
        case .done, .failed, .stopped, .task:
            guard let key = key(of: properties),
                let id = properties.correlationID.flatMap(PublicationID.init)
            else { return nil }
            let task = JobRecord<ByteBuffer>.Task(key: key, id: id, digest: digest(of: properties))
            return .ended(task, outcome(kind, in: message))
        case .outcomes, .cancel, .removed: return nil
        }
    }

    private static func outcome(_ kind: Kind, in message: Message) -> TaskOutcome<ByteBuffer> {
        switch kind {
        case .done: .done(message.body)
        case .failed: .failed(message.body)
        case .stopped: .stopped
        default:
            // The task itself, which the broker gave up.
            .undeliverable(
                deliveries: (message.header(Header.limit)?.integer ?? 0) + 1,
                reason: "every worker that took it died, stopped or lost its connection"
            )
        }
    }

    private static func tasks(in message: Message) -> [JobRecord<ByteBuffer>.Task] {
        entries(in: message).compactMap(task)
    }

    private static func task(of entry: Entry) -> JobRecord<ByteBuffer>.Task? {
        PublicationID(entry.i).map { .init(key: entry.k, id: $0, digest: entry.d) }
    }

    private static func worker(of properties: MessageProperties) -> WorkerIdentity? {
        guard let name = properties.headers?[Header.worker]?.text,
            let instance = properties.headers?[Header.instance]?.text
        else { return nil }
        return WorkerIdentity(name: name, instance: instance)
    }
}
