import NIOCore
import Testing

@testable import AMQP
@testable import RemoteJobs

@Suite struct EnvelopeTests {
    private let worker = WorkerIdentity(name: "h1", instance: "i1")

    private func message(_ properties: MessageProperties, _ body: ByteBuffer) -> Message {
        Message(
            properties: properties,
            body: body,
            exchange: "",
            routingKey: "",
            deliveryTag: 1,
            isRedelivered: false
        )
    }

    @Test func aWordOfASeenRoundHoldsItsRoutesWithoutAListAmongTheHeaders() {
        let properties = Envelope.mark(.seen, "me.1", by: worker)
        // A stream drops a header that is a list.
        for value in (properties.headers ?? [:]).values {
            if case .array = value { Issue.record("a list among the headers") }
        }
        let body = Envelope.body(ofNames: ["a@b", "c"])
        guard
            case .seen(let round, let worker, let routes)? =
                Envelope.record(in: message(properties, body))
        else {
            Issue.record("no record")
            return
        }
        #expect(round == "me.1")
        #expect(worker == self.worker)
        #expect(routes == ["a@b", "c"])
    }

    @Test func whatIsPutBackKeepsCountOfItsReturnsAndNothingOfTheBroker() {
        let id = PublicationID(life: "me", number: 1)
        var properties = Envelope.task(job: "j", key: "k", id: id, digest: 7, limit: 3)
        properties.headers?["x-delivery-count"] = .int64(2)
        properties.headers?["x-death"] = .array([])
        let taken = message(properties, ByteBuffer())
        #expect(Envelope.returns(of: taken) == 2)
        let back = message(Envelope.propertiesToPutBack(taken), ByteBuffer())
        #expect(Envelope.returns(of: back) == 2)
        #expect(back.properties.headers?.keys.contains { $0.hasPrefix("x-") } == false)
        #expect(Envelope.task(in: back)?.id == id)
        #expect(Envelope.task(in: back)?.digest == 7)
    }

    private func task(_ key: String, _ number: Int) throws -> Envelope.TaskMessage {
        let id = PublicationID(life: "me", number: number)
        let properties = Envelope.task(job: "j", key: key, id: id, digest: 7, limit: 3)
        return try #require(Envelope.task(in: message(properties, ByteBuffer())))
    }

    @Test func outcomesThatTravelTogetherReadAsThoseThatTravelAlone() throws {
        // A key of more than 255 bytes travels in another place; a stop has no payload.
        let long = String(repeating: "k", count: 300)
        let kinds: [(Envelope.Kind, String, String)] = [
            (.done, "a", "[1,{\"b\":\"],[\"}]"), (.stopped, "b", ""), (.failed, long, "{}"),
            (.done, "c", "\"\""),
        ]
        let parts = try kinds.enumerated()
            .map { number, part in
                let task = try task(part.1, number)
                let properties = Envelope.outcome(part.0, of: task, worker: worker, attempt: 2)
                return (properties, ByteBuffer(string: part.2))
            }
        let (properties, body) = Envelope.message(of: parts)
        let together = Envelope.parts(of: message(properties, body))
        #expect(together.map(\.properties) == parts.map(\.0))
        #expect(String(buffer: body) == "[[1,{\"b\":\"],[\"}],null,{},\"\"]")
        let outcomes = together.map { part -> TaskOutcome<ByteBuffer>? in
            guard case .ended(_, let outcome)? = Envelope.record(in: part) else { return nil }
            return outcome
        }
        let expected: [TaskOutcome<ByteBuffer>] = [
            .done(parts[0].1), .stopped, .failed(parts[2].1), .done(parts[3].1),
        ]
        #expect(outcomes == expected)
    }

    @Test func anOutcomeAloneTravelsAsItIs() throws {
        let properties = Envelope.outcome(.done, of: try task("a", 1), worker: worker, attempt: 1)
        let alone = Envelope.message(of: [(properties, ByteBuffer(string: "1"))])
        #expect(alone.0 == properties)
        #expect(String(buffer: alone.1) == "1")
        #expect(Envelope.parts(of: message(alone.0, alone.1)).count == 1)
    }

    @Test func aBatchThatIsCutShortReadsAsNothing() throws {
        let task = try task("a", 1)
        let one = Envelope.outcome(.done, of: task, worker: worker, attempt: 1)
        let parts = [(one, ByteBuffer(string: "1")), (one, ByteBuffer(string: "22"))]
        let (properties, body) = Envelope.message(of: parts)
        for length in 0..<(body.readableBytes - 1) {
            let piece = ByteBuffer(bytes: body.readableBytesView.prefix(length))
            #expect(Envelope.parts(of: message(properties, piece)).isEmpty)
        }
        #expect(Envelope.parts(of: message(properties, body)).count == 2)
    }
}
