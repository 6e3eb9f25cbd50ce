import NIOCore
import NIOEmbedded
import Testing

@testable import AMQP

/// Tests a broker that sends anything at any time.
///
/// No connection traps, stores bytes that were only announced, or leaves a request without an
/// answer.
@Suite struct FalseBrokerTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            return word ^ word >> 31
        }
    }

    /// A connection to the test, which acts as the broker.
    private final class Client {
        let loop = EmbeddedEventLoop()
        let transport: EmbeddedChannel
        let connection: Connection
        var end: ConnectionError?

        init() throws {
            let machine = ConnectionStateMachine<Connection.Reply>(
                user: "u",
                password: "p",
                virtualHost: "/",
                heartbeat: 0
            )
            connection = Connection(machine, on: loop)
            transport = EmbeddedChannel(handler: FrameHandler(connection), loop: loop)
            connection.onEnd = { [unowned self] in end = $0 }
            try transport.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func say(_ frames: [Frame]) throws {
            var bytes = ByteBuffer()
            for frame in frames { bytes.writeFrame(frame) }
            try say(bytes)
        }

        func say(_ bytes: ByteBuffer) throws {
            if transport.isActive { try transport.writeInbound(bytes) }
            loop.run()
        }

        func shakeHands() throws {
            try say([
                .method(.connectionStart(major: 0, minor: 9, mechanisms: "PLAIN"), channel: 0),
                .method(
                    .connectionTune(channelMax: 0, frameMax: 131_072, heartbeat: 0),
                    channel: 0
                ),
                .method(.connectionOpenOK, channel: 0),
            ])
        }
    }

    private static let numbers: [UInt64] = [
        0, 1, 2, 3, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max - 1, .max,
    ]

    private func frame(_ dice: inout Dice) -> Frame {
        let channel = UInt16.random(in: 0...3, using: &dice)
        let number = Self.numbers.randomElement(using: &dice) ?? 0
        var properties = MessageProperties()
        properties.headers = [
            "n": .int64(Int64(bitPattern: number)), "t": .table(SampleFrames.table),
        ]
        switch Int.random(in: 0..<10, using: &dice) {
        case 0:
            return .method(
                .basicAck(delivery: number, multiple: .random(using: &dice)),
                channel: channel
            )
        case 1:
            let nack = Method.basicNack(
                delivery: number,
                multiple: .random(using: &dice),
                requeue: false
            )
            return .method(nack, channel: channel)
        case 2:
            let back = Method.basicReturn(code: 312, text: "", exchange: "", key: "k")
            return .method(back, channel: channel)
        case 3:
            let delivery = Method.basicDeliver(
                tag: "c1",
                delivery: number,
                redelivered: false,
                exchange: "",
                key: "k"
            )
            return .method(delivery, channel: channel)
        case 4, 5: return .header(properties, bodyLength: number, channel: channel)
        case 6: return .header(properties, bodyLength: 3, channel: channel)
        case 7: return .body(ByteBuffer(string: "abc"), channel: channel)
        default:
            return .method(
                SampleFrames.methods.randomElement(using: &dice) ?? .channelOpenOK,
                channel: channel
            )
        }
    }

    @Test(arguments: 0..<8) func whateverIsSaidEachPublishingIsAnsweredOnce(seed: Int) throws {
        var dice = Dice(state: UInt64(seed))
        for _ in 0..<100 {
            let client = try Client()
            try client.shakeHands()
            #expect(client.connection.isOpen)
            let opening = client.connection.openChannel()
            let open: [Frame] = [.method(.channelOpenOK, channel: 1)]
            try client.say(open)
            let channel = try opening.wait().value
            _ = channel.confirmPublications()
            _ = channel.consume("q", prefetch: 9) { _ in }
            var answers = 0
            for _ in 0..<5 {
                channel.publish(to: "", key: "q", .init(), ByteBuffer(string: "x")) { _ in
                    answers += 1
                }
            }
            let answered: [Frame] = [
                .method(.confirmSelectOK, channel: 1), .method(.basicQosOK, channel: 1),
                .method(.basicConsumeOK(tag: "c1"), channel: 1),
            ]
            try client.say(answered)
            for _ in 0..<Int.random(in: 1...30, using: &dice) {
                var bytes = ByteBuffer()
                bytes.writeFrame(frame(&dice))
                if Int.random(in: 0..<8, using: &dice) == 0, bytes.readableBytes > 8 {
                    let place = Int.random(in: 0..<bytes.readableBytes, using: &dice)
                    bytes.setInteger(UInt8.random(in: 0...255, using: &dice), at: place)
                }
                try client.say(bytes)
            }
            client.connection.abort(.closedHere)
            client.loop.run()
            #expect(client.end != nil)
            #expect(answers == 5, "seed \(seed)")
        }
    }

    @Test func aMessageThatComesBackWithAnImpossibleNumberIsNoMessageOfOurs() throws {
        let client = try Client()
        try client.shakeHands()
        let opening = client.connection.openChannel()
        try client.say([.method(.channelOpenOK, channel: 1)])
        let channel = try opening.wait().value
        var outcomes: [PublishOutcome] = []
        channel.publish(to: "", key: "q", .init(), ByteBuffer()) { outcomes.append($0) }
        for number in [-1, .min, 0, 7, Int64.max] {
            var properties = MessageProperties()
            properties.headers = ["n": .int64(number)]
            let back = Method.basicReturn(code: 312, text: "", exchange: "", key: "q")
            try client.say([
                .method(back, channel: 1), .header(properties, bodyLength: 0, channel: 1),
            ])
        }
        try client.say([.method(.basicAck(delivery: 1, multiple: false), channel: 1)])
        #expect(outcomes == [.confirmed])
        #expect(client.end == nil)
    }

    @Test func aBodyLongerThanAnyBrokerTakesIsNotWaitedFor() throws {
        let client = try Client()
        try client.shakeHands()
        _ = client.connection.openChannel()
        let delivery = Method.basicDeliver(
            tag: "c1",
            delivery: 1,
            redelivered: false,
            exchange: "",
            key: "k"
        )
        try client.say([
            .method(.channelOpenOK, channel: 1), .method(delivery, channel: 1),
            .header(.init(), bodyLength: 1 << 62, channel: 1),
        ])
        #expect(client.end == .wrongBytes(.bodyTooLong(1 << 62)))
    }

    @Test func framesTooShortForAnyMethodAreRefused() throws {
        let client = try Client()
        try client.say([
            .method(.connectionStart(major: 0, minor: 9, mechanisms: "PLAIN"), channel: 0),
            .method(.connectionTune(channelMax: 1, frameMax: 9, heartbeat: 0), channel: 0),
        ])
        #expect(client.end == .wrongBytes(.framesTooShort(9)))
    }

    @Test func propertiesThatHaveNoMeaningAreTheirPublishersFaultAndNotTheConnections() throws {
        let client = try Client()
        try client.shakeHands()
        let opening = client.connection.openChannel()
        try client.say([.method(.channelOpenOK, channel: 1)])
        let channel = try opening.wait().value
        var faults: [WireError?] = []
        _ = channel.consume("q", prefetch: 1) { faults.append($0.properties.fault) }
        try client.say([
            .method(.basicQosOK, channel: 1), .method(.basicConsumeOK(tag: "c1"), channel: 1),
        ])
        var deep = FieldValue.void
        for _ in 0..<40 { deep = .table(["t": deep]) }
        var nested = MessageProperties()
        nested.headers = ["t": deep]
        var text = MessageProperties()
        text.appID = "\u{7}\u{7}"
        for properties in [nested, text, .init()] {
            let delivery = Method.basicDeliver(
                tag: "c1",
                delivery: 1,
                redelivered: false,
                exchange: "",
                key: "k"
            )
            var bytes = ByteBuffer()
            bytes.writeFrame(.method(delivery, channel: 1))
            bytes.writeFrame(.header(properties, bodyLength: 1, channel: 1))
            bytes.writeFrame(.body(ByteBuffer(string: "1"), channel: 1))
            try client.say(ByteBuffer(bytes: bytes.readableBytesView.map { $0 == 7 ? 0xFF : $0 }))
        }
        #expect(faults == [.nestedTooDeep, .notText, nil])
        #expect(client.end == nil)
    }
}
