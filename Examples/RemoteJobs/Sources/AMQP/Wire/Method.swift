/// The methods of AMQP 0-9-1, and RabbitMQ's own, that this client sends or understands.
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

/// Why one side closes a channel or a connection.
public struct ClosingReason: Sendable, Hashable {
    /// The number: 200 for no reason, 403 refused, 404 not found, 405 locked, 406 precondition failed.
    public var code: UInt16
    /// The reason in words.
    public var text: String
    /// The class of the method that has caused it; 0 for none.
    public var classID: UInt16 = 0
    /// The method that has caused it, in its class; 0 for none.
    public var methodID: UInt16 = 0

    /// Makes a reason that no single method has caused.
    public init(code: UInt16, text: String) {
        self.code = code
        self.text = text
    }
}

/// How an exchange or a queue is declared.
public struct DeclareFlags: OptionSet, Sendable, Hashable {
    /// The bits as they travel.
    public let rawValue: UInt8

    /// Takes the bits as they travel.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Only asks whether it is there.
    public static let passive = DeclareFlags(rawValue: 1)
    /// It outlives the broker's restart.
    public static let durable = DeclareFlags(rawValue: 1 << 1)
    /// Of a queue: this connection's only, and gone with it.
    public static let exclusive = DeclareFlags(rawValue: 1 << 2)
    /// It goes when its last consumer or binding has gone.
    public static let autoDelete = DeclareFlags(rawValue: 1 << 3)
}
