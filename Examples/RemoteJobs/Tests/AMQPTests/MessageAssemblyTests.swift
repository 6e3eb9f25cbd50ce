import NIOCore
import Testing

@testable import AMQP

@Suite struct MessageAssemblyTests {
    private let deliver = Method.basicDeliver(
        tag: "c1",
        delivery: 1,
        redelivered: false,
        exchange: "",
        key: "k"
    )

    @Test func aMessageInPiecesIsWholeWithItsLastPiece() throws {
        var assembly = MessageAssembly()
        try assembly.begin(deliver)
        #expect(try assembly.take(MessageProperties(), bodyLength: 5) == nil)
        #expect(try assembly.take(ByteBuffer(string: "ab")) == nil)
        #expect(try assembly.take(ByteBuffer(string: "cd")) == nil)
        let whole = try #require(try assembly.take(ByteBuffer(string: "e")))
        #expect(whole.2 == ByteBuffer(string: "abcde"))
    }

    @Test func aMessageWithoutBodyIsWholeWithItsHeader() throws {
        var assembly = MessageAssembly()
        try assembly.begin(deliver)
        #expect(try assembly.take(MessageProperties(), bodyLength: 0) != nil)
        try assembly.begin(deliver)
    }

    @Test func aPieceWithoutAHeaderIsAnError() throws {
        var assembly = MessageAssembly()
        #expect(throws: WireError.unexpectedFrame) {
            try assembly.take(ByteBuffer(string: "a"))
        }
        try assembly.begin(deliver)
        #expect(throws: WireError.unexpectedFrame) {
            try assembly.take(ByteBuffer(string: "a"))
        }
    }

    @Test func moreThanTheHeaderSaidIsAnError() throws {
        var assembly = MessageAssembly()
        try assembly.begin(deliver)
        _ = try assembly.take(MessageProperties(), bodyLength: 1)
        #expect(throws: WireError.unexpectedFrame) {
            try assembly.take(ByteBuffer(string: "ab"))
        }
    }

    @Test func aSecondMessageBeforeTheFirstIsWholeIsAnError() throws {
        var assembly = MessageAssembly()
        try assembly.begin(deliver)
        #expect(throws: WireError.unexpectedFrame) { try assembly.begin(deliver) }
    }
}

@Suite struct HeartbeatMonitorTests {
    @Test func fiveSilentTicksAreBorneAndTheSixthIsNot() {
        var monitor = HeartbeatMonitor()
        for _ in 0..<5 { #expect(monitor.ticked() == true) }
        #expect(monitor.ticked() == false)
    }

    @Test func aByteBeginsTheSilenceAnew() {
        var monitor = HeartbeatMonitor()
        for _ in 0..<5 { _ = monitor.ticked() }
        monitor.received()
        for _ in 0..<5 { #expect(monitor.ticked() == true) }
    }
}
