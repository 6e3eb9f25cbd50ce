import NIOCore

/// What has become of a message that was published on a channel that confirms.
public enum PublishOutcome: Sendable, Hashable {
    /// The broker has it: on disk, in every queue that it was for.
    case confirmed
    /// No queue is bound that it could go to; the broker has dropped it.
    case unroutable
    /// The broker could not take it.
    case refused
    /// The channel has gone first; nobody knows.
    case lost
}

/// The number of objects in a queue, and of those who take them.
public struct QueueState: Sendable, Hashable {
    /// How many messages wait, those that consumers hold not included.
    public let messageCount: Int
    /// How many consumers there are, of all connections.
    public let consumerCount: Int
}

/// A channel of a connection, for the connection's event loop.
///
/// > Thread: The event loop's alone; so are the closures given to it.
public final class Channel {
    private struct Publication {
        var wasReturned = false
        let answer: (PublishOutcome) -> Void
    }

    /// The header by which a message that comes back is known; a channel's own.
    private static let numberHeader = "n"

    private let number: UInt16
    private let connection: Connection
    private var assembly = MessageAssembly()
    private var confirms = PublishConfirms<Publication>()
    private var confirmMonitor = AnswerMonitor()
    private var requestMonitor = AnswerMonitor()
    private var consumers: [String: (Message) -> Void] = [:]
    private var lastTag = 0
    private var isLost = false

    /// Called once if the channel goes, other than by ``close()``.
    public var onLoss: ((ConnectionFailure) -> Void)?
    /// Called with a consumer's tag when the broker has ended it, with its queue.
    public var onConsumerCancelled: ((String) -> Void)?
    /// How many published messages are not confirmed yet.
    public var unconfirmedCount: Int { confirms.count }

    init(_ number: UInt16, of connection: Connection) {
        self.number = number
        self.connection = connection
    }

    // MARK: Declaring

    /// Declares an exchange.
    public func declareExchange(
        _ name: String,
        type: String,
        arguments: FieldTable = [:]
    ) -> EventLoopFuture<Void> {
        request(.exchangeDeclare(name: name, type: type, .durable, arguments: arguments))
    }

    /// Declares a queue, or asks for one.
    public func declareQueue(
        _ name: String,
        _ flags: DeclareFlags = .durable,
        arguments: FieldTable = [:]
    ) -> EventLoopFuture<QueueState> {
        connection.request(.queueDeclare(name: name, flags, arguments: arguments), on: number)
            .map { answer in
                guard case .queueDeclareOK(_, let messages, let consumers) = answer else {
                    return QueueState(messageCount: 0, consumerCount: 0)
                }
                return QueueState(messageCount: Int(messages), consumerCount: Int(consumers))
            }
    }

    /// Lets an exchange's messages with matching keys go to a queue.
    public func bind(_ queue: String, to exchange: String, key: String) -> EventLoopFuture<Void> {
        request(.queueBind(queue: queue, exchange: exchange, key: key, arguments: [:]))
    }

    /// Ends what ``bind(_:to:key:)`` began.
    public func unbind(_ queue: String, from exchange: String, key: String)
        -> EventLoopFuture<Void>
    {
        request(.queueUnbind(queue: queue, exchange: exchange, key: key, arguments: [:]))
    }

    /// Deletes a queue with all that it holds; one that is not there is fine.
    public func deleteQueue(_ name: String) -> EventLoopFuture<Void> {
        request(.queueDelete(name: name))
    }

    /// Makes the broker confirm what is published from now on.
    public func confirmPublications() -> EventLoopFuture<Void> { request(.confirmSelect) }

    /// Closes the channel.
    public func close() -> EventLoopFuture<Void> {
        onLoss = nil
        let bound = NIOLoopBound((self, connection, number), eventLoop: connection.eventLoop)
        return request(.channelClose(ClosingReason(code: 200, text: "done")))
            .always { _ in
                let (channel, connection, number) = bound.value
                connection.closed(number, channel)
            }
    }

    // MARK: Messages

    /// Publishes a message.
    ///
    /// - Parameters:
    ///   - exchange: The exchange; empty for the one that leads to the queue named by the key.
    ///   - key: The routing key.
    ///   - properties: What travels beside the body.
    ///   - body: The body.
    ///   - answer: Called once, if the channel confirms, with what has become of the message.
    public func publish(
        to exchange: String,
        key: String,
        _ properties: MessageProperties,
        _ body: ByteBuffer,
        answer: @escaping (PublishOutcome) -> Void
    ) {
        guard !isLost, connection.isOpen else { return answer(.lost) }
        var properties = properties
        properties.headers = properties.headers ?? [:]
        properties.headers?[Channel.numberHeader] = .int64(Int64(confirms.nextNumber))
        confirms.published(Publication(answer: answer))
        let method = Method.basicPublish(exchange: exchange, key: key, mandatory: true)
        connection.send(method, properties, body, on: number)
    }

    /// Takes a queue's messages.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - prefetch: How many unacknowledged ones the channel may have at a time, 1 to 65,535.
    ///   - arguments: What the queue's type knows, for example where a stream begins.
    ///   - deliver: Called with each message.
    /// - Returns: The consumer's tag.
    public func consume(
        _ queue: String,
        prefetch: Int,
        arguments: FieldTable = [:],
        deliver: @escaping (Message) -> Void
    ) -> EventLoopFuture<String> {
        lastTag += 1
        let tag = "c\(lastTag)"
        consumers[tag] = deliver
        let consume = Method.basicConsume(
            queue: queue,
            tag: tag,
            exclusive: false,
            arguments: arguments
        )
        // Both are sent at once; the channel answers in order.
        let first = request(.basicQos(prefetch: UInt16(clamping: max(1, prefetch))))
        return request(consume).and(first).map { _ in tag }
    }

    /// Ends what ``consume(_:prefetch:arguments:deliver:)`` began; what came stays unacknowledged.
    public func cancelConsumer(_ tag: String) -> EventLoopFuture<Void> {
        request(.basicCancel(tag: tag, noWait: false))
    }

    /// Tells the broker that a message is dealt with.
    public func acknowledge(_ deliveryTag: UInt64, multiple: Bool = false) {
        connection.send(.basicAck(delivery: deliveryTag, multiple: multiple), on: number)
    }

    /// Gives a message back, or away.
    public func reject(_ deliveryTag: UInt64, requeue: Bool) {
        connection.send(.basicReject(delivery: deliveryTag, requeue: requeue), on: number)
    }

    private func request(_ method: Method) -> EventLoopFuture<Void> {
        connection.request(method, on: number).map { _ in }
    }

    // MARK: For the connection

    func received(_ method: Method) throws(WireError) {
        switch method {
        case .basicDeliver, .basicReturn: try assembly.begin(method)
        case .basicAck(let number, let multiple):
            for publication in confirms.answered(number, multiple: multiple) {
                publication.answer(publication.wasReturned ? .unroutable : .confirmed)
            }
        case .basicNack(let number, let multiple, _):
            for publication in confirms.answered(number, multiple: multiple) {
                publication.answer(.refused)
            }
        case .basicCancel(let tag, _):
            consumers[tag] = nil
            onConsumerCancelled?(tag)
        default: throw .unexpectedFrame
        }
    }

    func received(_ properties: MessageProperties, bodyLength: UInt64) throws(WireError) {
        if let whole = try assembly.take(properties, bodyLength: bodyLength) { deliver(whole) }
    }

    func received(_ piece: ByteBuffer) throws(WireError) {
        if let whole = try assembly.take(piece) { deliver(whole) }
    }

    /// Half a heartbeat's interval has passed.
    ///
    /// - Parameters:
    ///   - oldestRequest: The number of the oldest request that is not answered.
    ///   - isBlocked: Whether the broker has said that it takes nothing for now.
    /// - Returns: What is not answered, and cannot be expected to be.
    func ticked(oldestRequest: UInt64?, isBlocked: Bool) -> ConnectionFailure? {
        let confirms = confirmMonitor.ticked(oldest: confirms.oldestNumber, isBlocked: isBlocked)
        let answers = requestMonitor.ticked(oldest: oldestRequest, isBlocked: isBlocked)
        if !answers { return .unanswered }
        return confirms ? nil : .unconfirmed
    }

    func lost(_ failure: ConnectionFailure) {
        isLost = true
        let tell = onLoss
        onLoss = nil
        onConsumerCancelled = nil
        consumers = [:]
        for publication in confirms.abandonAll() { publication.answer(.lost) }
        tell?(failure)
    }

    private func deliver(_ whole: (Method, MessageProperties, ByteBuffer)) {
        let (method, properties, body) = whole
        switch method {
        case .basicDeliver(let tag, let delivery, let redelivered, let exchange, let key):
            let message = Message(
                properties: properties,
                body: body,
                exchange: exchange,
                routingKey: key,
                deliveryTag: delivery,
                isRedelivered: redelivered
            )
            consumers[tag]?(message)
        default:
            // It comes back as it went, if the broker is what it says it is.
            guard let number = properties.headers?[Channel.numberHeader]?.integer,
                let number = UInt64(exactly: number)
            else { return }
            confirms.update(number) { $0.wasReturned = true }
        }
    }
}
