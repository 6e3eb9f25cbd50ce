import NIOCore

/// The result of publishing a message on a channel with confirms.
public enum PublishOutcome: Sendable, Hashable {
    /// The broker has saved it to disk in every queue that it was routed to.
    case confirmed
    /// No bound queue matches the message, so the broker has dropped it.
    case unroutable
    /// The broker could not accept it.
    case refused
    /// The channel closed before an answer came, so the result is unknown.
    case lost
}

/// The number of messages and consumers of a queue.
public struct QueueState: Sendable, Hashable {
    /// The number of waiting messages, without those that consumers hold.
    public let messageCount: Int
    /// The number of consumers on all connections.
    public let consumerCount: Int
}

/// A channel of a connection.
///
/// > Thread: The connection's event loop only, which also calls the closures passed to it.
public final class Channel {
    private struct Publication {
        var wasReturned = false
        let answer: (PublishOutcome) -> Void
    }

    /// The header that identifies a returned message.
    ///
    /// It is private to the channel.
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

    /// Called once if the channel closes for any reason other than ``close()``.
    public var onLoss: ((ConnectionError) -> Void)?
    /// Called with a consumer's tag if the broker has ended it, because its queue is gone.
    public var onConsumerCancelled: ((String) -> Void)?
    /// The number of published messages that are not confirmed yet.
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

    /// Declares a queue, or checks that it exists.
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

    /// Routes the messages of an exchange with a matching key to a queue.
    public func bind(_ queue: String, to exchange: String, key: String) -> EventLoopFuture<Void> {
        request(.queueBind(queue: queue, exchange: exchange, key: key, arguments: [:]))
    }

    /// Removes the route that ``bind(_:to:key:)`` added.
    public func unbind(_ queue: String, from exchange: String, key: String)
        -> EventLoopFuture<Void>
    {
        request(.queueUnbind(queue: queue, exchange: exchange, key: key, arguments: [:]))
    }

    /// Deletes a queue and its messages.
    ///
    /// A missing queue is not an error.
    public func deleteQueue(_ name: String) -> EventLoopFuture<Void> {
        request(.queueDelete(name: name))
    }

    /// Makes the broker confirm all messages published from now on.
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
    ///   - exchange: The exchange. If empty, the message goes to the queue named by the key.
    ///   - key: The routing key.
    ///   - properties: The properties of the message.
    ///   - body: The body.
    ///   - answer: Called once with the result, if the channel has confirms.
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

    /// Consumes the messages of a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - prefetch: The highest number of unacknowledged messages on the channel, 1 to 65,535.
    ///   - arguments: Options of the queue's type, for example the first offset of a stream.
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
        // Both requests are sent at once, because a channel answers in order.
        let first = request(.basicQos(prefetch: UInt16(clamping: max(1, prefetch))))
        return request(consume).and(first).map { _ in tag }
    }

    /// Ends a consumer.
    ///
    /// Its unacknowledged messages stay unacknowledged.
    public func cancelConsumer(_ tag: String) -> EventLoopFuture<Void> {
        request(.basicCancel(tag: tag, noWait: false))
    }

    /// Acknowledges a message that has been handled.
    public func acknowledge(_ deliveryTag: UInt64, multiple: Bool = false) {
        connection.send(.basicAck(delivery: deliveryTag, multiple: multiple), on: number)
    }

    /// Returns a message to its queue, or discards it.
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

    /// Counts one more half of a heartbeat interval.
    ///
    /// - Parameters:
    ///   - oldestRequest: The number of the oldest unanswered request.
    ///   - isBlocked: Whether the broker accepts no messages at the moment.
    /// - Returns: The failure if a confirm or an answer is overdue, otherwise nil.
    func ticked(oldestRequest: UInt64?, isBlocked: Bool) -> ConnectionError? {
        let confirms = confirmMonitor.ticked(oldest: confirms.oldestNumber, isBlocked: isBlocked)
        let answers = requestMonitor.ticked(oldest: oldestRequest, isBlocked: isBlocked)
        if !answers { return .unanswered }
        return confirms ? nil : .unconfirmed
    }

    func lost(_ failure: ConnectionError) {
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
            // A correct broker returns the header unchanged.
            guard let number = properties.headers?[Channel.numberHeader]?.integer,
                let number = UInt64(exactly: number)
            else { return }
            confirms.update(number) { $0.wasReturned = true }
        }
    }
}
