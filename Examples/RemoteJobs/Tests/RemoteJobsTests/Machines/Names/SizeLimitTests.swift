import NIOCore
import Testing

@testable import RemoteJobs

@Suite struct SizeLimitTests {
    @Test func whatIsAsLargeAsMayBeTravelsAndOneByteMoreDoesNot() throws {
        let body = ByteBuffer(repeating: 0x31, count: SizeLimit.body)
        try SizeLimit.check(body, .input, of: "a")
        var larger = body
        larger.writeInteger(UInt8(0x31))
        let size = SizeLimit.body + 1
        let expected = TooLargeError(key: "a", part: .input, size: size, limit: SizeLimit.body)
        #expect(throws: expected) { try SizeLimit.check(larger, .input, of: "a") }
    }

    @Test func aKeyIsMeasuredInBytes() throws {
        let key = String(repeating: "\u{E9}", count: SizeLimit.key / 2)
        try SizeLimit.check(key: Name(key))
        let longer = key + "a"
        let size = SizeLimit.key + 1
        let expected = TooLargeError(key: longer, part: .key, size: size, limit: SizeLimit.key)
        #expect(throws: expected) { try SizeLimit.check(key: Name(longer)) }
        #expect(expected.description.utf8.count < 200)
    }

    @Test func aBatchWithALargeOutcomeFitsIntoAMessageAndItsPropertiesIntoAFrame() throws {
        let worker = WorkerIdentity(name: Name(String(repeating: "w", count: 100)), instance: "i")
        let gathered = (OutcomeBatches.mostBytes - 1) / (OutcomeBatches.most - 1)
        let lengths = [Int](repeating: gathered, count: OutcomeBatches.most - 1) + [SizeLimit.key]
        let parts = lengths.enumerated()
            .map { number, length in
                let task = Envelope.TaskMessage(
                    job: "j",
                    name: TaskName(work: "w", key: Name(String(repeating: "k", count: length))),
                    id: PublicationID(life: PublicationID.newLife(), number: number),
                    digest: .max,
                    limit: 3,
                    returns: 0,
                    priority: 0,
                    route: "w",
                    routingKey: "",
                    properties: .init(),
                    body: ByteBuffer()
                )
                let properties = Envelope.outcome(.stopped, of: task, worker: worker, attempt: 1)
                return (properties, ByteBuffer())
            }
        var written = ByteBuffer()
        written.writeProperties(Envelope.message(of: parts).0)
        #expect(written.readableBytes < 131_072 - 100)
        #expect(SizeLimit.body + OutcomeBatches.mostBytes + OutcomeBatches.most < 128 << 20)
    }

    @Test func notesOfLongKeysAreCutAndKeepTheirOrder() {
        let keys = (0..<100).map { Name(String(repeating: "\($0 % 10)", count: SizeLimit.key)) }
        let notes = SizeLimit.notes(keys, key: \.self)
        #expect(notes.count == 4)
        #expect(Array(notes.joined()) == keys)
        #expect(SizeLimit.notes([Name](), key: \.self).isEmpty)
        #expect(SizeLimit.notes(["a", "b"], key: \.self) == [["a", "b"]])
    }
}
