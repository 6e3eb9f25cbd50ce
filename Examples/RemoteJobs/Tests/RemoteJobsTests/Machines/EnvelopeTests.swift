import Foundation
import NIOCore
import Testing

@testable import AMQP
@testable import RemoteJobs

@Suite struct EnvelopeTests {
    private let worker = WorkerIdentity(name: "h1", instance: "i1")

    private func message(
        _ properties: MessageProperties,
        _ body: ByteBuffer,
        key: String = "w.j"
    ) -> Message {
        Message(
            properties: properties,
            body: body,
            exchange: "",
            routingKey: key,
            deliveryTag: 1,
            isRedelivered: false
        )
    }

    @Test func aWordOfASeenRoundHoldsItsRoutesWithoutAListAmongTheHeaders() throws {
        let properties = Envelope.mark(.seen, "me.1", by: worker)
        // A stream drops a header that is a list.
        for value in (properties.headers ?? [:]).values {
            if case .array = value { Issue.record("a list among the headers") }
        }
        let body = Envelope.body(ofNames: ["a@b", "c"])
        let records = try Intake.records(in: message(properties, body), of: "j")
        guard case .seen(let round, let worker, let routes)? = records.first?.0 else {
            Issue.record("no record")
            return
        }
        #expect(round == "me.1")
        #expect(worker == self.worker)
        #expect(routes == ["a@b", "c"])
    }

    @Test func whatIsPutBackKeepsCountOfItsReturnsAndNothingOfTheBroker() throws {
        let id = PublicationID(life: "me", number: 1)
        var properties = properties("k", id)
        properties.headers?["x-delivery-count"] = .int64(2)
        properties.headers?["x-death"] = .array([])
        let taken = try Intake.task(in: message(properties, ByteBuffer()), from: "w")
        #expect(taken.returns == 2)
        let own = Envelope.propertiesToPutBack(taken)
        let back = try Intake.task(in: message(own, ByteBuffer()), from: "w")
        #expect(back.returns == 2)
        #expect(own.headers?.keys.contains { $0.hasPrefix("x-") } == false)
        #expect(back.id == id)
        #expect(back.digest == 7)
    }

    private func properties(_ key: Name, _ id: PublicationID) -> MessageProperties {
        Envelope.task(job: "j", route: "w", key: key, id: id, digest: 7, limit: 3)
    }

    private func task(_ key: Name, _ number: Int) throws -> Envelope.TaskMessage {
        let id = PublicationID(life: "me", number: number)
        return try Intake.task(in: message(properties(key, id), ByteBuffer()), from: "w")
    }

    @Test func outcomesThatTravelTogetherReadAsThoseThatTravelAlone() throws {
        // A key of more than 255 bytes travels in a header, and a stopped task has no payload.
        let long = Name(String(repeating: "k", count: 300))
        let kinds: [(Envelope.Kind, Name, String)] = [
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
        #expect(String(buffer: body) == "[[1,{\"b\":\"],[\"}],null,{},\"\"]")
        let together = try Intake.records(in: message(properties, body), of: "j")
        let names = together.map { record, _ -> TaskName? in
            guard case .ended(let task, _) = record else { return nil }
            return task.name
        }
        #expect(names == kinds.map { TaskName(work: "w", key: $0.1) })
        let outcomes = together.map { record, _ -> TaskOutcome<ByteBuffer>? in
            guard case .ended(_, let outcome) = record else { return nil }
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
        #expect(try Intake.records(in: message(alone.0, alone.1), of: "j").count == 1)
    }

    @Test func aValueWhoseTextCannotBeDecodedIsNotEncoded() throws {
        #expect(throws: EncodingError.self) { try Envelope.body(of: Decimal.nan) }
        #expect(throws: EncodingError.self) { try Envelope.body(of: ["a": [1, Decimal.nan]]) }
        let text = try Envelope.body(of: ["NaN": ["\\\"NaN"]])
        #expect(try Envelope.value([String: [String]].self, in: text) == ["NaN": ["\\\"NaN"]])
    }

    @Test func aBatchThatIsCutShortReadsAsNothing() throws {
        let task = try task("a", 1)
        let one = Envelope.outcome(.done, of: task, worker: worker, attempt: 1)
        let parts = [(one, ByteBuffer(string: "1")), (one, ByteBuffer(string: "22"))]
        let (properties, body) = Envelope.message(of: parts)
        for length in 0..<(body.readableBytes - 1) {
            let piece = ByteBuffer(bytes: body.readableBytesView.prefix(length))
            #expect(throws: Intake.RefusalError.self) {
                try Intake.records(in: message(properties, piece), of: "j")
            }
        }
        #expect(try Intake.records(in: message(properties, body), of: "j").count == 2)
    }
}
