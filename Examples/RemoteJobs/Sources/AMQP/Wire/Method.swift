/// The methods of AMQP 0-9-1 and RabbitMQ that this client sends or understands.
package enum Method: Sendable, Hashable {
    // Connection
    case connectionStart(major: UInt8, minor: UInt8, mechanisms: String)
    case connectionStartOK(properties: FieldTable, mechanism: String, response: [UInt8])
    case connectionTune(channelMax: UInt16, frameMax: UInt32, heartbeat: UInt16)
    case connectionTuneOK(channelMax: UInt16, frameMax: UInt32, heartbeat: UInt16)
    case connectionOpen(virtualHost: String)
    case connectionOpenOK
    case connectionClose(ClosingReason)
    case connectionCloseOK
    case connectionBlocked(reason: String)
    case connectionUnblocked
    // Channel
    case channelOpen
    case channelOpenOK
    case channelFlow(active: Bool)
    case channelFlowOK(active: Bool)
    case channelClose(ClosingReason)
    case channelCloseOK
    // Exchange
    case exchangeDeclare(name: String, type: String, DeclareFlags, arguments: FieldTable)
    case exchangeDeclareOK
    case exchangeDelete(name: String)
    case exchangeDeleteOK
    // Queue
    case queueDeclare(name: String, DeclareFlags, arguments: FieldTable)
    case queueDeclareOK(name: String, messageCount: UInt32, consumerCount: UInt32)
    case queueBind(queue: String, exchange: String, key: String, arguments: FieldTable)
    case queueBindOK
    case queueUnbind(queue: String, exchange: String, key: String, arguments: FieldTable)
    case queueUnbindOK
    case queuePurge(name: String)
    case queuePurgeOK(messageCount: UInt32)
    case queueDelete(name: String)
    case queueDeleteOK(messageCount: UInt32)
    // Basic
    case basicQos(prefetch: UInt16)
    case basicQosOK
    case basicConsume(queue: String, tag: String, exclusive: Bool, arguments: FieldTable)
    case basicConsumeOK(tag: String)
    case basicCancel(tag: String, noWait: Bool)
    case basicCancelOK(tag: String)
    case basicPublish(exchange: String, key: String, mandatory: Bool)
    case basicReturn(code: UInt16, text: String, exchange: String, key: String)
    case basicDeliver(
        tag: String,
        delivery: UInt64,
        redelivered: Bool,
        exchange: String,
        key: String
    )
    case basicAck(delivery: UInt64, multiple: Bool)
    case basicReject(delivery: UInt64, requeue: Bool)
    case basicNack(delivery: UInt64, multiple: Bool, requeue: Bool)
    // Confirm
    case confirmSelect
    case confirmSelectOK
}

/// The reason why one side closes a channel or a connection.
public struct ClosingReason: Sendable, Hashable {
    /// The reply code.
    ///
    /// 200 means no reason, 403 refused, 404 not found, 405 locked, and 406 precondition failed.
    public var code: UInt16
    /// The reason as text.
    public var text: String
    /// The class of the method that caused it, or 0 for none.
    public var classID: UInt16 = 0
    /// The number of that method in its class, or 0 for none.
    public var methodID: UInt16 = 0

    /// Creates a reason that no single method has caused.
    public init(code: UInt16, text: String) {
        self.code = code
        self.text = text
    }
}

/// Options for the declaration of an exchange or a queue.
public struct DeclareFlags: OptionSet, Sendable, Hashable {
    /// The bits as they are sent.
    public let rawValue: UInt8

    /// Creates options from the bits as they are sent.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Only checks that the object exists.
    public static let passive = DeclareFlags(rawValue: 1)
    /// The object survives a restart of the broker.
    public static let durable = DeclareFlags(rawValue: 1 << 1)
    /// Only this connection can use the queue, and the queue is deleted with it.
    public static let exclusive = DeclareFlags(rawValue: 1 << 2)
    /// The object is deleted when its last consumer or binding is removed.
    public static let autoDelete = DeclareFlags(rawValue: 1 << 3)
}
