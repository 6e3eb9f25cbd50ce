import NIOCore
import NIOHTTP1
import NIOPosix

/// A request to the server.
struct Question: Sendable {
    let method: HTTPMethod
    let path: String
    let body: String

    static func get(_ path: String) -> Question { Question(method: .GET, path: path, body: "") }

    static func steps(_ count: Int, milliseconds: Int = 0) -> Question {
        let parameters = "{\"count\":\(count),\"milliseconds\":\(milliseconds)}"
        return Question(
            method: .POST,
            path: "/jobs",
            body: "{\"kind\":\"steps\",\"parameters\":\(parameters)}"
        )
    }
}

/// Repeats a request on persistent connections, each time after the previous answer.
struct Requests {
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    private let question: Question
    private let port: Int

    init(_ question: Question, to port: Int) {
        self.question = question
        self.port = port
    }

    /// Sends the request once.
    ///
    /// - Returns: The answer's body.
    @discardableResult
    func send() async throws -> String {
        try await ask(1)
    }

    /// Sends the request a number of times on several connections.
    ///
    /// - Returns: Answers per second.
    func perSecond(_ count: Int, connections: Int = 16) async throws -> Double {
        let share = (count + connections - 1) / connections
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<connections { group.addTask { _ = try await ask(share) } }
            try await group.waitForAll()
        }
        return Double(share * connections) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// Sends the request on one connection.
    ///
    /// - Returns: The last answer's body.
    private func ask(_ count: Int) async throws -> String {
        let group = MultiThreadedEventLoopGroup.singleton
        let answered = group.next().makePromise(of: String.self)
        let asker = Asker.Start(question: question, count: count, answered: answered)
        do {
            _ = try await ClientBootstrap(group: group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(Asker(asker))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
        } catch {
            answered.fail(error)
        }
        return try await answered.futureResult.get()
    }
}

/// Repeats a request after each answer and closes the connection after the last one.
private final class Asker: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    struct Start: Sendable {
        let question: Question
        let count: Int
        let answered: EventLoopPromise<String>
    }

    private let start: Start
    private var left: Int
    private var body = ByteBuffer()

    init(_ start: Start) {
        self.start = start
        left = start.count
    }

    func channelActive(context: ChannelHandlerContext) { ask(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            body.clear()
            guard head.status.code < 300 else {
                let sentence = "\(start.question.path) was answered with \(head.status)"
                start.answered.fail(Requests.Refused(description: sentence))
                return context.close(promise: nil)
            }
        case .body(var part): body.writeBuffer(&part)
        case .end:
            left -= 1
            guard left == 0 else { return ask(context) }
            start.answered.succeed(String(buffer: body))
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        start.answered.fail(ChannelError.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        start.answered.fail(error)
        context.close(promise: nil)
    }

    private func ask(_ context: ChannelHandlerContext) {
        let question = start.question
        var headers = HTTPHeaders([("Host", "127.0.0.1")])
        if question.method == .POST {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: "\(question.body.utf8.count)")
        }
        let head = HTTPRequestHead(
            version: .http1_1,
            method: question.method,
            uri: question.path,
            headers: headers
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !question.body.isEmpty {
            let buffer = ByteBuffer(string: question.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
