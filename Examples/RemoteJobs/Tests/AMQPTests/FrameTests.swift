import NIOCore
import Testing

@testable import AMQP

@Suite struct FrameTests {
    private static let longest = 131_072

    @Test(arguments: SampleFrames.frames)
    func everyFrameReadsBackAsItWasWritten(frame: Frame) throws {
        var buffer = ByteBuffer()
        buffer.writeFrame(frame)
        #expect(try buffer.readFrame(longest: Self.longest) == frame)
        #expect(buffer.readableBytes == 0)
    }

    @Test func everyPropertyTravelsAlone() throws {
        var alone: [MessageProperties] = []
        func add(_ set: (inout MessageProperties) -> Void) {
            var properties = MessageProperties()
            set(&properties)
            alone.append(properties)
        }
        add { $0.contentType = "a" }
        add { $0.contentEncoding = "b" }
        add { $0.headers = ["c": .void] }
        add { $0.deliveryMode = 1 }
        add { $0.priority = 2 }
        add { $0.correlationID = "d" }
        add { $0.replyTo = "e" }
        add { $0.expiration = "f" }
        add { $0.messageID = "g" }
        add { $0.timestamp = 3 }
        add { $0.type = "h" }
        add { $0.userID = "i" }
        add { $0.appID = "j" }
        for properties in alone {
            var buffer = ByteBuffer()
            buffer.writeFrame(.header(properties, bodyLength: 1, channel: 1))
            let expected = Frame.header(properties, bodyLength: 1, channel: 1)
            #expect(try buffer.readFrame(longest: Self.longest) == expected)
        }
    }

    @Test func framesSplitAtEveryByteReadTheSame() throws {
        let whole = SampleFrames.bytes
        for place in 0...whole.readableBytes {
            var read: [Frame] = []
            var buffer = ByteBuffer()
            for piece in [
                whole.getSlice(at: 0, length: place),
                whole.getSlice(at: place, length: whole.readableBytes - place),
            ] {
                var piece = try #require(piece)
                buffer.writeBuffer(&piece)
                while let frame = try buffer.readFrame(longest: Self.longest) { read.append(frame) }
            }
            #expect(read == SampleFrames.frames, "split at \(place)")
        }
    }

    @Test func aFrameThatIsNotWholeIsWaitedFor() throws {
        for frame in SampleFrames.frames {
            var whole = ByteBuffer()
            whole.writeFrame(frame)
            for length in 0..<whole.readableBytes {
                var part = try #require(whole.getSlice(at: 0, length: length))
                #expect(try part.readFrame(longest: Self.longest) == nil)
                #expect(part.readableBytes == length)
            }
        }
    }

    @Test func aFrameCutShortInsideIsAnError() throws {
        // The frame is complete, but its last field is not.
        for method in SampleFrames.methods {
            var content = ByteBuffer()
            content.writeMethod(method)
            for length in 0..<content.readableBytes {
                var frame = ByteBuffer(bytes: [1, 0, 1])
                frame.writeInteger(UInt32(length))
                frame.writeImmutableBuffer(try #require(content.getSlice(at: 0, length: length)))
                frame.writeInteger(Frame.end)
                #expect(throws: WireError.self) { try frame.readFrame(longest: Self.longest) }
            }
        }
    }

    @Test func surplusBytesBehindAMethodAreAnError() {
        var frame = ByteBuffer(bytes: [1, 0, 1, 0, 0, 0, 5, 0, 20, 0, 41, 0, 0xCE])
        #expect(throws: WireError.surplusBytes) { try frame.readFrame(longest: Self.longest) }
    }

    @Test func aWrongEndIsAnError() {
        var frame = ByteBuffer(bytes: [8, 0, 0, 0, 0, 0, 0, 0xCD])
        #expect(throws: WireError.wrongFrameEnd(0xCD)) {
            try frame.readFrame(longest: Self.longest)
        }
    }

    @Test func anUnknownTypeIsAnErrorBeforeItsContentCame() {
        var frame = ByteBuffer(bytes: [72, 84, 84, 0, 0, 0, 9])
        #expect(throws: WireError.unknownFrameType(72)) {
            try frame.readFrame(longest: Self.longest)
        }
    }

    @Test func aFrameLongerThanAgreedIsAnErrorBeforeItsContentCame() {
        var frame = ByteBuffer(bytes: [1, 0, 1, 0, 1, 0, 0])
        #expect(throws: WireError.frameTooLong(65_544)) { try frame.readFrame(longest: 65_543) }
        #expect((try? frame.readFrame(longest: 65_544)) == .some(nil))
    }

    @Test func tablesNestedTooDeepAreAnError() {
        var table: FieldTable = [:]
        for _ in 0..<40 { table = ["t": .table(table)] }
        var frame = ByteBuffer()
        frame.writeFrame(
            .method(.queueDeclare(name: "q", .durable, arguments: table), channel: 1)
        )
        #expect(throws: WireError.nestedTooDeep) { try frame.readFrame(longest: Self.longest) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func corruptedBytesEndInAFrameOrAnErrorAndNeverInATrap(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        for _ in 0..<500 {
            let frame = SampleFrames.frames.randomElement(using: &generator) ?? .heartbeat
            var buffer = ByteBuffer()
            buffer.writeFrame(frame)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<buffer.readableBytes, using: &generator)
                buffer.setInteger(UInt8.random(in: 0...255, using: &generator), at: place)
            }
            while let read = try? buffer.readFrame(longest: Self.longest) {
                _ = read
                if buffer.readableBytes == 0 { break }
            }
        }
    }
}
