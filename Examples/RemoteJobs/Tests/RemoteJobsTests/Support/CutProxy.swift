import AMQP
import NIOCore
import NIOPosix
import Synchronization

@testable import RemoteJobs

/// Stands between a client and a broker, and cuts the link when a test wants it cut.
final class CutProxy: Sendable {
    /// What the client says, seen before the broker sees it; true cuts the link instead.
    typealias Judge = @Sendable (Frame) -> Bool

    private let server: any NIOCore.Channel
    private let links = Mutex<[any NIOCore.Channel]>([])
    private let judge = Mutex<Judge?>(nil)
    private let muteJudge = Mutex<Judge?>(nil)
    private let lets = Mutex(true)
    private let accepted = Mutex(0)

    /// How many links have come so far.
    var linkCount: Int { accepted.withLock { $0 } }

    var port: Int { server.localAddress?.port ?? 0 }

    /// How a client reaches the broker through it.
    var address: BrokerAddress {
        BrokerAddress(host: "127.0.0.1", port: port, user: "guest", password: "guest")
    }

    init(to port: Int) async throws {
        let holder = Holder()
        server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                guard let proxy = holder.proxy.withLock({ $0 }), proxy.lets.withLock({ $0 }) else {
                    return client.close()
                }
                return proxy.join(client, to: port)
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        holder.proxy.withLock { $0 = self }
    }

    private final class Holder: Sendable {
        let proxy = Mutex<CutProxy?>(nil)
    }

    /// Cuts all links; new ones are let through.
    func cut() {
        let links = links.withLock { links in
            defer { links = [] }
            return links
        }
        for link in links { link.close(promise: nil) }
    }

    /// Cuts the link at the first frame of the client of which the judge says so, once.
    func cut(at judge: @escaping Judge) {
        self.judge.withLock { $0 = judge }
    }

    /// From the first frame of which the judge says so, a link takes nothing to the broker but
    /// heartbeats; once.
    func mute(at judge: @escaping Judge) {
        muteJudge.withLock { $0 = judge }
    }

    /// Whether new links are let through.
    func letThrough(_ lets: Bool) {
        self.lets.withLock { $0 = lets }
    }

    /// Ends the proxy.
    func close() async throws {
        cut()
        try await server.close()
    }

    private func judges(_ frame: Frame) -> Bool {
        guard let judge = judge.withLock({ $0 }), judge(frame) else { return false }
        self.judge.withLock { $0 = nil }
        return true
    }

    private func mutes(_ frame: Frame) -> Bool {
        guard let judge = muteJudge.withLock({ $0 }), judge(frame) else { return false }
        muteJudge.withLock { $0 = nil }
        return true
    }

    private func join(_ client: any NIOCore.Channel, to port: Int) -> EventLoopFuture<Void> {
        links.withLock { $0.append(client) }
        accepted.withLock { $0 += 1 }
        return ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port)
            .flatMap { broker in
                self.links.withLock { $0.append(broker) }
                return client.eventLoop
                    .makeCompletedFuture {
                        let judged = Relay(to: broker, self)
                        try client.pipeline.syncOperations.addHandler(judged)
                        try broker.pipeline.syncOperations.addHandler(Relay(to: client, nil))
                    }
                    .flatMap {
                        broker.setOption(.autoRead, value: true)
                            .and(client.setOption(.autoRead, value: true)).map { _ in }
                    }
            }
    }

    /// Passes bytes on.
    private final class Relay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any NIOCore.Channel
        private let proxy: CutProxy?
        private var unread = ByteBuffer()
        private var hasGreeted = false
        private var isMute = false

        /// Passes bytes on to a channel; the proxy, if there is one, judges them.
        init(to other: any NIOCore.Channel, _ proxy: CutProxy?) {
            self.other = other
            self.proxy = proxy
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            if cuts(bytes) {
                context.close(promise: nil)
                other.close(promise: nil)
                return
            }
            if !isMute { other.writeAndFlush(bytes, promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            other.close(promise: nil)
        }

        private func cuts(_ bytes: ByteBuffer) -> Bool {
            guard let proxy else { return false }
            unread.writeImmutableBuffer(bytes)
            if !hasGreeted, unread.readableBytes >= 8 {
                hasGreeted = true
                unread.moveReaderIndex(forwardBy: 8)
            }
            while hasGreeted, let frame = try? unread.readFrame(longest: 1 << 20) {
                if proxy.judges(frame) { return true }
                if proxy.mutes(frame) { isMute = true }
                if isMute, frame == .heartbeat {
                    var heartbeat = ByteBuffer()
                    heartbeat.writeFrame(.heartbeat)
                    other.writeAndFlush(heartbeat, promise: nil)
                }
            }
            return false
        }
    }
}
