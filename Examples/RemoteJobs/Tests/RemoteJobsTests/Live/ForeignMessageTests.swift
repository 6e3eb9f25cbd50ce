import AMQP
import JobKit
import NIOCore
import XCTest

@testable import RemoteJobs

/// Tests messages from anyone with the right to publish into any queue or stream.
final class ForeignMessageTests: LiveTestCase {
    private static let numbers: [Int64] = [.min, -1, 0, 1, 1 << 31, 1 << 53, .max - 1, .max]

    private static let values: [FieldValue] = {
        var deep = FieldValue.void
        for _ in 0..<40 { deep = .table(["t": deep]) }
        return numbers.map { .int64($0) } + [
            .uint32(.max), .timestamp(.max), .double(-1e308), .double(0.5), .boolean(true),
            .void,
            .string(""), .string("\u{7}\u{7}"), .string(String(repeating: "x", count: 5_000)),
            .bytes([0, 255]), .array([.int64(.max)]), deep,
        ]
    }()

    private static let texts: [String?] = [
        nil, "", ".", "x.", ".1", "me.1", "me.-1", "me.99999999999999999999", "\u{7}\u{7}.1",
        String(repeating: "x", count: 255),
    ]

    private static let bodies = [
        "", "null", "1e999", "[", "[[]]", "[{}]", "\u{7}\u{7}",
        String(repeating: "[", count: 20_000),
        "[{\"k\":\"foreign\",\"i\":\"me.1\",\"w\":\"double\",\"a\":9223372036854775807,\"f\":1e308}]",
        "[{\"k\":\"foreign\",\"i\":\"me.1\",\"d\":18446744073709551615,\"f\":-1}]",
        "[\"a\",\"\",\"b.c\"]",
    ]

    /// Messages of every type, each with one invalid value.
    private func messages(_ job: String) -> [(MessageProperties, ByteBuffer)] {
        let types: [String?] = [
            "task", "life", "route", "queued", "started", "progress", "overdue", "done", "failed",
            "stopped", "outcomes", "withdrawn", "seen", "cancel", "removed", "tasks", "", nil,
            "\u{7}",
        ]
        let headers = [
            "key", "work", "digest", "limit", "worker", "instance", "attempt", "returns", "parts",
            "x-delivery-count", "x-stream-offset", "n",
        ]
        var messages: [(MessageProperties, ByteBuffer)] = []
        for type in types {
            var usual = MessageProperties()
            usual.type = type
            usual.appID = job
            // A message for no task of the job, because a publisher can send a controller any
            // message.
            usual.messageID = "foreign"
            usual.correlationID = "foreign.1"
            usual.headers = ["worker": .string("w"), "instance": .string("i")]
            func add(_ change: (inout MessageProperties) -> Void, _ body: String = "[]") {
                var properties = usual
                change(&properties)
                messages.append((properties, ByteBuffer(string: body)))
            }
            for header in headers {
                for value in Self.values { add { $0.headers?[header] = value } }
            }
            for text in Self.texts {
                add { $0.correlationID = text }
                add { $0.appID = text }
                add { $0.messageID = text }
                add { $0.contentType = text }
            }
            for priority in [UInt8.min, 9, 10, .max] { add { $0.priority = priority } }
            for body in Self.bodies { add({ _ in }, body) }
        }
        return messages
    }

    func testForeignMessagesStopNeitherWorkersNorControllersNorThoseThatComeLater() async throws {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        proxy.garble()
        let foreign = try await TestConnection(to: proxy.address)
        let (name, other) = (jobName("foreign"), jobName("beside"))
        let lines = LogLines()
        let options = RemoteSession.Options(logger: lines.logger)
        let session = try await open(name, broker.addresses, options: options)
        let route = Layout.route(Name(Double2.name), at: Name(place))
        let messages = messages(name)
        let targets = [
            ("", Layout.control), ("", Layout.stream(of: Name(name))), ("", queue(of: name)),
            (Layout.tasks, Layout.key(route, job: Name(name))), ("", suspects),
            (Layout.suspects, Layout.key(route, job: Name(name))),
        ]
        // The step and the number of values have no common divisor, so that all values are
        // published.
        func publish(each step: Int) async throws {
            for (exchange, key) in targets {
                let chosen = stride(from: Int.random(in: 0..<step), to: messages.count, by: step)
                let all = chosen.map { number in
                    let (properties, body) = messages[number]
                    return Published(
                        exchange: exchange,
                        key: key,
                        properties: properties,
                        body: body
                    )
                }
                try await foreign.publish(all)
            }
        }
        // Before a worker exists, while tasks run, and before the job is resumed.
        let early = FanOut<Double2>([("early", 21)], in: session, at: place)
        let running = Task { try await early.run() }
        let connection = try await broker.connect()
        try await waitUntil("its queue is there") {
            try await connection.state(of: queue(of: name))?.messageCount == 1
        }
        try await publish(each: 7)
        let worker = startDoubler("h1", broker.addresses)
        let job = FanOut<Double2>((0..<200).map { ("k\($0)", $0) }, in: session, at: place)
        let second = Task { try await job.run() }
        try await publish(each: 11)
        let ends = [await outcome(of: running), await outcome(of: second)]
        for end in ends { try end.get() }
        XCTAssertEqual(try early.results["early"]?.get(), 42)
        XCTAssertEqual(job.failureTexts, [])
        XCTAssertEqual(try job.results["k1"]?.get(), 2)
        XCTAssertEqual(try job.results["k199"]?.get(), 398)
        for name in [queue(of: name), suspects] {
            try await waitUntil("\(name) is empty") {
                try await connection.state(of: name)?.messageCount == 0
            }
        }
        XCTAssertGreaterThan(session.counts.refusedMessages, 300)
        XCTAssertGreaterThan(worker.worker.refusedMessages, 1_000)
        let refused = try await connection.state(of: Layout.refused)?.messageCount ?? 0
        XCTAssertGreaterThan(refused, 0)
        XCTAssertLessThanOrEqual(refused, 1_000)
        // Each kind is logged once.
        let words = lines.all.filter { $0.contains("is not used") }
        XCTAssertGreaterThan(words.count, 3)
        XCTAssertEqual(Set(words).count, words.count)
        await session.close()

        let resumed = try await open(name, broker.addresses)
        let again = FanOut<Double2>((0..<200).map { ("k\($0)", $0) }, in: resumed, at: place)
        try await run(again)
        XCTAssertEqual(again.failureTexts, [])
        XCTAssertEqual(resumed.counts.knownOutcomes, 200)
        let beside = try await open(other, broker.addresses)
        let late = startDoubler("h2", broker.addresses)
        try await worker.stop()
        let small = FanOut<Double2>((0..<20).map { ("k\($0)", $0) }, in: beside, at: place)
        try await run(small)
        XCTAssertEqual(small.failureTexts, [])
        try await late.stop()
        for connection in [foreign, connection] { try await connection.close() }
        try await resumed.close(removingJob: true)
        try await beside.close(removingJob: true)
    }
}
