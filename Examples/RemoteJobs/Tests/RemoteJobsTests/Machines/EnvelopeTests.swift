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
}
