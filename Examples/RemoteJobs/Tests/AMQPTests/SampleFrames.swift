import NIOCore

@testable import AMQP

/// Frames of every kind, in which each field has a different value.
enum SampleFrames {
    static let table: FieldTable = [
        "boolean": .boolean(true), "no": .boolean(false), "int8": .int8(-8), "uint8": .uint8(208),
        "int16": .int16(-16_000), "uint16": .uint16(60_000), "int32": .int32(-2_000_000_000),
        "uint32": .uint32(4_000_000_000), "int64": .int64(.min), "float": .float(1.5),
        "double": .double(-0.1), "decimal": .decimal(scale: 2, value: 12_345),
        "string": .string("grüß Gott \u{1F600}"), "empty": .string(""), "bytes": .bytes([0, 255]),
        "array": .array([.void, .array([.int8(1)]), .table(["x": .string("y")])]),
        "timestamp": .timestamp(1_700_000_000), "table": .table(["in": .table([:])]),
        "void": .void,
    ]

    static let reason: ClosingReason = {
        var reason = ClosingReason(code: 405, text: "RESOURCE_LOCKED")
        reason.classID = 50
        reason.methodID = 10
        return reason
    }()

    static let methods: [Method] = [
        .connectionStart(major: 0, minor: 9, mechanisms: "PLAIN AMQPLAIN"),
        .connectionStartOK(properties: table, mechanism: "PLAIN", response: [0, 65, 0, 66]),
        .connectionTune(channelMax: 2_047, frameMax: 131_072, heartbeat: 60),
        .connectionTuneOK(channelMax: 1, frameMax: 4_096, heartbeat: 5),
        .connectionOpen(virtualHost: "/"), .connectionOpenOK, .connectionClose(reason),
        .connectionCloseOK, .connectionBlocked(reason: "memory"), .connectionUnblocked,
        .channelOpen, .channelOpenOK, .channelFlow(active: true), .channelFlowOK(active: false),
        .channelClose(reason), .channelCloseOK,
        .exchangeDeclare(name: "tasks", type: "topic", .durable, arguments: table),
        .exchangeDeclareOK, .exchangeDelete(name: "tasks"), .exchangeDeleteOK,
        .queueDeclare(name: "q", [.exclusive, .autoDelete, .passive], arguments: table),
        .queueDeclareOK(name: "q", messageCount: 7, consumerCount: 2),
        .queueBind(queue: "q", exchange: "e", key: "k.*", arguments: [:]), .queueBindOK,
        .queueUnbind(queue: "q", exchange: "e", key: "k.*", arguments: table), .queueUnbindOK,
        .queuePurge(name: "q"), .queuePurgeOK(messageCount: 9), .queueDelete(name: "q"),
        .queueDeleteOK(messageCount: 3), .basicQos(prefetch: 256), .basicQosOK,
        .basicConsume(queue: "q", tag: "c1", exclusive: true, arguments: table),
        .basicConsumeOK(tag: "c1"), .basicCancel(tag: "c1", noWait: true),
        .basicCancelOK(tag: "c1"), .basicPublish(exchange: "e", key: "k", mandatory: true),
        .basicReturn(code: 312, text: "NO_ROUTE", exchange: "e", key: "k"),
        .basicDeliver(tag: "c1", delivery: 1 << 40, redelivered: true, exchange: "e", key: "k"),
        .basicAck(delivery: 5, multiple: true), .basicReject(delivery: 6, requeue: true),
        .basicNack(delivery: 7, multiple: true, requeue: false),
        .basicNack(delivery: 7, multiple: false, requeue: true), .confirmSelect, .confirmSelectOK,
    ]

    static let properties: MessageProperties = {
        var properties = MessageProperties()
        properties.contentType = "application/json"
        properties.contentEncoding = "utf-8"
        properties.headers = table
        properties.deliveryMode = 2
        properties.priority = 9
        properties.correlationID = "correlation"
        properties.replyTo = "reply"
        properties.expiration = "60000"
        properties.messageID = String(repeating: "k", count: 255)
        properties.timestamp = 1_700_000_000
        properties.type = "task"
        properties.userID = "guest"
        properties.appID = "job"
        return properties
    }()

    static let frames: [Frame] =
        methods.enumerated().map { .method($1, channel: UInt16($0)) }
        + [
            .header(MessageProperties(), bodyLength: 0, channel: 1),
            .header(properties, bodyLength: 1 << 33, channel: 65_535),
            .body(ByteBuffer(string: "{\"a\":1}"), channel: 3),
            .body(ByteBuffer(), channel: 3),
            .heartbeat,
        ]

    /// The bytes of all frames in a row.
    static var bytes: ByteBuffer {
        var buffer = ByteBuffer()
        for frame in frames { buffer.writeFrame(frame) }
        return buffer
    }
}

/// Pseudorandom numbers, the same for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
