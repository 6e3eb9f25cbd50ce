import AMQP
import NIOCore

/// Reads and checks each message from the broker, and is the only type that does.
///
/// Anyone with the right to publish can put any content into a queue or stream. Each text that the
/// intake returns has a bounded length, and each number a bounded range, so the rest of the package
/// can add, index and send them. If one value of a message is out of bounds, the whole message is
/// refused.
enum Intake {
    /// The reason why a message is refused.
    ///
    /// The number of reasons is small, however many messages come.
    struct RefusalError: Error, Hashable {
        let reason: String
    }

    /// The longest body of a record about several tasks, in bytes.
    private static let longestNote = 16 << 20
    /// The highest number of outcomes in one message.
    private static let mostParts = 4_096
    /// The longest name of a worker, controller run or round, in bytes.
    private static let longestWord = 255
    /// The highest number of returns of a message that is distinguished.
    private static let mostReturns = 1_000_000
    /// The highest offset up to which a stream is read.
    private static let lastOffset = 1 << 60

    // MARK: Tasks

    /// Reads a task's message from the queue of a route.
    static func task(in message: Message, from route: Name) throws(RefusalError)
        -> Envelope.TaskMessage
    {
        let properties = try properties(of: message)
        guard properties.type == Envelope.Kind.task.rawValue else {
            throw RefusalError("its type is not task")
        }
        let job = try name(properties.appID, "app_id", atMost: 100)
        let id = try publication(properties)
        guard Name(message.routingKey) == Name(Layout.key(route, job: job)) else {
            throw RefusalError("its routing key is not its job's")
        }
        let key = try key(properties)
        let limit = try number(properties, Envelope.Header.limit, 0...Int(Layout.suspectLimit))
        let told = try number(properties, Envelope.Header.returns, 0...mostReturns)
        let counted = message.header("x-delivery-count")?.integer ?? 0
        return Envelope.TaskMessage(
            job: job,
            name: TaskName(route: route, key: key),
            id: id,
            digest: try digest(properties),
            limit: limit ?? 0,
            returns: (told ?? 0) + min(mostReturns, max(0, counted)),
            priority: min(9, Int(properties.priority ?? 0)),
            route: route,
            routingKey: message.routingKey,
            properties: properties,
            body: message.body
        )
    }

    // MARK: A job's stream

    /// Returns the offset of a message in its stream, or nil if it has none.
    static func offset(of message: Message) -> Int? {
        guard let offset = message.header("x-stream-offset")?.integer, 0...lastOffset ~= offset
        else { return nil }
        return offset
    }

    /// Reads a message of a job's stream.
    ///
    /// - Returns: Its records, each with the length of its body.
    static func records(
        in message: Message,
        of job: Name
    ) throws(RefusalError) -> [(JobRecord<ByteBuffer>, bytes: Int)] {
        let properties = try properties(of: message)
        guard properties.type == Envelope.Kind.outcomes.rawValue else {
            let record = try record(properties, message.body, job: job)
            return [(record, bytes: message.body.readableBytes)]
        }
        return try parts(properties, message.body)
            .map { part throws(RefusalError) in
                (try record(part.0, part.1, job: job), bytes: part.1.readableBytes)
            }
    }

    /// Unpacks outcomes that were sent in one message.
    private static func parts(
        _ properties: MessageProperties,
        _ body: ByteBuffer
    ) throws(RefusalError) -> [(MessageProperties, ByteBuffer)] {
        guard case .bytes(let bytes)? = properties.headers?[Envelope.Header.parts] else {
            throw RefusalError("outcomes without the header parts")
        }
        var (words, body) = (ByteBuffer(bytes: bytes), body)
        var parts: [(MessageProperties, ByteBuffer)] = []
        while words.readableBytes > 0 {
            // A bracket or a comma precedes each payload.
            body.moveReaderIndex(forwardBy: min(1, body.readableBytes))
            guard parts.count < mostParts, let properties = try? words.requireProperties(),
                let length = words.readInteger(as: UInt32.self),
                let payload = body.readSlice(length: Int(length))
            else { throw RefusalError("outcomes that do not fit their header parts") }
            parts.append((properties, payload))
        }
        return parts
    }

    private static func record(
        _ properties: MessageProperties,
        _ body: ByteBuffer,
        job: Name
    ) throws(RefusalError) -> JobRecord<ByteBuffer> {
        guard let kind = properties.type.flatMap(Envelope.Kind.init) else {
            throw RefusalError("its type is none of a job's stream")
        }
        switch kind {
        case .life: return .life(try word(properties))
        case .route: return .route(try route(word(properties)))
        case .queued:
            return .queued(try entries(body).map { entry throws(RefusalError) in try task(entry) })
        case .withdrawn:
            return .withdrawn(
                try entries(body).map { entry throws(RefusalError) in try task(entry) }
            )
        case .started, .overdue:
            let worker = try worker(properties)
            let tasks = try entries(body)
                .map { entry throws(RefusalError) in
                    (try task(entry), attempt: min(mostReturns, max(1, entry.a ?? 1)))
                }
            return kind == .started
                ? .started(tasks, worker: worker) : .overdue(tasks.map(\.0), try word(properties))
        case .progress:
            return .progress(
                try entries(body)
                    .map { entry throws(RefusalError) in
                        let fraction = entry.f ?? 0
                        return (try task(entry), fraction: fraction > 0 ? min(1, fraction) : 0)
                    }
            )
        case .seen:
            let round = try word(properties)
            let worker = try worker(properties)
            return .seen(round: round, worker: worker, routes: try names(body))
        case .done, .failed, .stopped, .task:
            if kind == .task, properties.appID.map({ Name($0) }) != job {
                throw RefusalError("a task of another job")
            }
            let work = try name(
                properties.headers?[Envelope.Header.work]?.text ?? "",
                "work",
                atMost: 255,
                atLeast: 0
            )
            let task = JobRecord<ByteBuffer>
                .Task(
                    name: TaskName(work: work, key: try key(properties)),
                    id: try publication(properties),
                    digest: try digest(properties)
                )
            return .ended(task, try outcome(kind, properties, body))
        case .outcomes, .cancel, .removed, .tasks:
            throw RefusalError("its type is none of a job's stream")
        }
    }

    private static func outcome(
        _ kind: Envelope.Kind,
        _ properties: MessageProperties,
        _ body: ByteBuffer
    ) throws(RefusalError) -> TaskOutcome<ByteBuffer> {
        switch kind {
        case .done: return .done(body)
        case .failed: return .failed(body)
        case .stopped: return .stopped
        default:
            // This record has the properties of the undeliverable task itself.
            let limit = try number(properties, Envelope.Header.limit, 0...Int(Layout.suspectLimit))
            return .undeliverable(
                deliveries: (limit ?? 0) + 1,
                reason: "every worker that took it died, stopped or lost its connection"
            )
        }
    }

    // MARK: The control stream

    /// A message for all workers.
    enum Order: Equatable {
        /// Written by a worker when it begins to read.
        case mark(String)
        case cancel(round: String, job: Name, [PublicationID])
        /// Everything that these controller runs of a job have published is obsolete.
        case removed(job: Name, lives: [Name])
        /// The job has its own queues with tasks for these routes.
        case tasks(job: Name, routes: [Name])
    }

    /// Reads a message of the control stream.
    static func order(in message: Message) throws(RefusalError) -> Order {
        let properties = try properties(of: message)
        switch properties.type.flatMap(Envelope.Kind.init) {
        case .life: return .mark(try word(properties))
        case .cancel:
            let job = try name(properties.appID, "app_id", atMost: 100)
            let ids = try entries(message.body)
                .map { entry throws(RefusalError) in try publication(entry.i) }
            return .cancel(round: try word(properties), job: job, ids)
        case .removed:
            let job = try name(properties.appID, "app_id", atMost: 100)
            return .removed(job: job, lives: try names(message.body))
        case .tasks:
            let job = try name(properties.appID, "app_id", atMost: 100)
            return .tasks(job: job, routes: try names(message.body))
        default: throw RefusalError("its type is none of the control stream")
        }
    }

    // MARK: Fields

    private static func properties(of message: Message) throws(RefusalError) -> MessageProperties {
        switch message.properties.fault {
        case nil: return message.properties
        case .notText: throw RefusalError("its properties are not UTF-8")
        case .nestedTooDeep: throw RefusalError("its headers are nested too deep")
        case .bodyTooLong: throw RefusalError("its body is too long")
        default: throw RefusalError("its properties cannot be read")
        }
    }

    private static func text(
        _ text: String?,
        _ what: StaticString,
        atMost longest: Int,
        atLeast shortest: Int = 1
    ) throws(RefusalError) -> String {
        guard let text else { throw RefusalError("it has no \(what)") }
        guard shortest...longest ~= text.utf8.count else {
            throw RefusalError("its \(what) is empty or too long")
        }
        return text
    }

    private static func name(
        _ text: String?,
        _ what: StaticString,
        atMost longest: Int,
        atLeast shortest: Int = 1
    ) throws(RefusalError) -> Name {
        Name(try self.text(text, what, atMost: longest, atLeast: shortest))
    }

    /// Reads a number from a header.
    ///
    /// Returns nil if the header is missing.
    private static func number(
        _ properties: MessageProperties,
        _ header: String,
        _ range: ClosedRange<Int>
    ) throws(RefusalError) -> Int? {
        guard let value = properties.headers?[header] else { return nil }
        guard let number = value.integer, range ~= number else {
            throw RefusalError(
                "its header \(header) is no number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    private static func digest(_ properties: MessageProperties) throws(RefusalError) -> UInt64? {
        guard let value = properties.headers?[Envelope.Header.digest] else { return nil }
        guard let number = value.integer else {
            throw RefusalError("its header digest is no number")
        }
        return UInt64(bitPattern: Int64(number))
    }

    private static func key(_ properties: MessageProperties) throws(RefusalError) -> Name {
        let key = properties.messageID ?? properties.headers?[Envelope.Header.key]?.text
        return try name(key, "key", atMost: SizeLimit.key, atLeast: 0)
    }

    private static func publication(_ properties: MessageProperties) throws(RefusalError)
        -> PublicationID
    {
        try publication(properties.correlationID)
    }

    private static func publication(_ text: String?) throws(RefusalError) -> PublicationID {
        guard let id = text.flatMap(PublicationID.init) else {
            throw RefusalError("it names no publication")
        }
        return id
    }

    private static func word(_ properties: MessageProperties) throws(RefusalError) -> String {
        try text(properties.correlationID, "correlation_id", atMost: longestWord)
    }

    private static func route(_ text: String) throws(RefusalError) -> Name {
        guard Layout.isRoute(text) else { throw RefusalError("it names no route") }
        return Name(text)
    }

    private static func worker(_ properties: MessageProperties) throws(RefusalError)
        -> WorkerIdentity
    {
        let name = properties.headers?[Envelope.Header.worker]?.text
        let instance = properties.headers?[Envelope.Header.instance]?.text
        return WorkerIdentity(
            name: try self.name(name, "worker", atMost: 4_096, atLeast: 0),
            instance: try self.name(instance, "instance", atMost: longestWord)
        )
    }

    private static func task(_ entry: Envelope.Entry) throws(RefusalError)
        -> JobRecord<ByteBuffer>.Task
    {
        let name = TaskName(
            work: try self.name(entry.w?.text ?? "", "work", atMost: 255, atLeast: 0),
            key: try self.name(entry.k.text, "key", atMost: SizeLimit.key, atLeast: 0)
        )
        return .init(name: name, id: try publication(entry.i), digest: entry.d)
    }

    // MARK: Bodies

    private static func entries(_ body: ByteBuffer) throws(RefusalError) -> [Envelope.Entry] {
        try value([Envelope.Entry].self, body)
    }

    private static func names(_ body: ByteBuffer) throws(RefusalError) -> [Name] {
        let names = try value([Name].self, body)
        for name in names { _ = try text(name.text, "list of names", atMost: longestWord) }
        return names
    }

    private static func value<Value: Decodable>(
        _ type: Value.Type,
        _ body: ByteBuffer
    ) throws(RefusalError) -> Value {
        guard body.readableBytes <= longestNote else { throw RefusalError("its body is too long") }
        guard let value = try? Envelope.value(type, in: body) else {
            throw RefusalError("its body cannot be read")
        }
        return value
    }
}

extension Intake.RefusalError {
    fileprivate init(_ reason: String) {
        self.init(reason: reason)
    }
}
