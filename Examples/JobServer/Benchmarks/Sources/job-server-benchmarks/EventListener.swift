import NIOCore
import NIOHTTP1
import NIOPosix

/// A stream of the server's events, either read as they come, or not read at all.
struct EventListener: Sendable {
    /// The part of a run that an event contains.
    struct Told: Sendable {
        let runID: Int
        let hasEnded: Bool
        let time: NIODeadline
    }

    private let channel: any Channel

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - port: The server's port.
    ///   - told: Called on a NIO thread for each `run` event, in order.
    /// - Returns: The stream, after its first event has arrived.
    /// - Throws: `Requests.Refused` if the server has too many listeners.
    static func open(
        _ port: Int,
        told: @escaping @Sendable (Told) -> Void
    ) async throws -> EventListener {
        let group = MultiThreadedEventLoopGroup.singleton
        let first = group.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(EventReader(first, told))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await first.futureResult.get()
        return EventListener(channel: channel)
    }

    /// Requests events without reading them.
    static func openStopped(_ port: Int) async throws -> EventListener {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            .connect(host: "127.0.0.1", port: port).get()
        let request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request))
        return EventListener(channel: channel)
    }

    func close() async throws { try await channel.close() }
}

/// Splits the stream into events.
private final class EventReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let first: EventLoopPromise<Void>
    private let told: @Sendable (EventListener.Told) -> Void
    private var text: [UInt8] = []

    init(
        _ first: EventLoopPromise<Void>,
        _ told: @escaping @Sendable (EventListener.Told) -> Void
    ) {
        self.first = first
        self.told = told
    }

    func channelActive(context: ChannelHandlerContext) {
        let headers = HTTPHeaders([("Host", "127.0.0.1")])
        let head = HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: "/events",
            headers: headers
        )
        let channel = context.channel
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where head.status != .ok:
            first.fail(Requests.Refused(description: "No events: \(head.status)"))
        case .head, .end: break
        case .body(let part): take(part)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        first.fail(ChannelError.eof)
    }

    private func take(_ part: ByteBuffer) {
        let now = NIODeadline.now()
        text += part.readableBytesView
        var start = 0
        // An event ends with an empty line.
        while let end = text[start...].indices.dropLast()
            .first(where: { text[$0] == 0x0A && text[$0 + 1] == 0x0A })
        {
            read(String(decoding: text[start..<end], as: UTF8.self), at: now)
            start = end + 2
        }
        text.removeSubrange(..<start)
    }

    private func read(_ event: String, at time: NIODeadline) {
        if event.hasPrefix("event: snapshot\n") { return first.succeed() }
        let start = "event: run\ndata: {\"id\":"
        guard event.hasPrefix(start),
            let runID = Int(event.dropFirst(start.count).prefix { $0.isNumber })
        else { return }
        let lives =
            event.contains("\"state\":\"queued\"") || event.contains("\"state\":\"running\"")
        told(EventListener.Told(runID: runID, hasEnded: !lives, time: time))
    }
}
