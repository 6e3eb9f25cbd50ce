import AMQP
import NIOCore
import NIOPosix
import Synchronization

@testable import RemoteJobs

/// A proxy between a client and a broker that cuts links on a test's request.
final class CutProxy: Sendable {
    /// Checks each frame of the client before the broker receives it.
    ///
    /// True triggers the requested fault.
    typealias Judge = @Sendable (Frame) -> Bool

    private let server: any NIOCore.Channel
    private let links = Mutex<[any NIOCore.Channel]>([])
    private let judge = Mutex<Judge?>(nil)
    private let muteJudge = Mutex<Judge?>(nil)
    private let withholdJudge = Mutex<Judge?>(nil)
    private let refuseJudge = Mutex<Judge?>(nil)
    private let lets = Mutex(true)
    private let accepted = Mutex(0)
    private let garbles = Mutex(false)

    /// The number of links so far.
    var linkCount: Int { accepted.withLock { $0 } }

    var port: Int { server.localAddress?.port ?? 0 }

    /// The address of the proxy for clients.
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

    /// Cuts all links.
    ///
    /// New links are accepted.
    func cut() {
        let links = links.withLock { links in
            defer { links = [] }
            return links
        }
        for link in links { link.close(promise: nil) }
    }

    /// Cuts the link at the first client frame that the judge selects, once.
    func cut(at judge: @escaping Judge) {
        self.judge.withLock { $0 = judge }
    }

    /// Drops everything except heartbeats to the broker, from the frame that the judge selects,
    /// once.
    func mute(at judge: @escaping Judge) {
        muteJudge.withLock { $0 = judge }
    }

    /// Withholds the messages of a channel, from the frame that the judge selects, once.
    func withhold(at judge: @escaping Judge) {
        withholdJudge.withLock { $0 = judge }
    }

    /// Refuses all publications of a channel, from the frame that the judge selects, once.
    ///
    /// The frame must be the first publication of its channel. The publications do not reach the
    /// broker.
    func refuse(at judge: @escaping Judge) {
        refuseJudge.withLock { $0 = judge }
    }

    /// Sets whether new links are accepted.
    func letThrough(_ lets: Bool) {
        self.lets.withLock { $0 = lets }
    }

    /// Replaces the first of two consecutive client bytes 7 by 255, which no valid text contains.
    ///
    /// In short frames, two such bytes in a row occur only in texts.
    func garble() {
        garbles.withLock { $0 = true }
    }

    /// Stops the proxy.
    func close() async throws {
        cut()
        try await server.close()
    }

    /// Returns whether a judge selects a frame, and removes the judge after its first selection.
    private static func says(_ judge: borrowing Mutex<Judge?>, _ frame: Frame) -> Bool {
        guard let says = judge.withLock({ $0 }), says(frame) else { return false }
        judge.withLock { $0 = nil }
        return true
    }

    private func judges(_ frame: Frame) -> Bool { CutProxy.says(judge, frame) }
    private func mutes(_ frame: Frame) -> Bool { CutProxy.says(muteJudge, frame) }
    private func withholds(_ frame: Frame) -> Bool { CutProxy.says(withholdJudge, frame) }
    private func refuses(_ frame: Frame) -> Bool { CutProxy.says(refuseJudge, frame) }

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
                        let answers = AnswerRelay(to: client)
                        let judged = Relay(to: broker, self, answers)
                        try client.pipeline.syncOperations.addHandler(judged)
                        try broker.pipeline.syncOperations.addHandler(answers)
                    }
                    .flatMap {
                        broker.setOption(.autoRead, value: true)
                            .and(client.setOption(.autoRead, value: true)).map { _ in }
                    }
            }
    }

    /// Passes the client's bytes on to the broker.
    private final class Relay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any NIOCore.Channel
        private let proxy: CutProxy
        private let answers: AnswerRelay
        private var unread = ByteBuffer()
        private var hasGreeted = false
        private var isMute = false
        /// The channel on which everything is refused, from its first message on.
        private var refused: UInt16?
        private var refusedCount: UInt64 = 0

        /// Passes bytes on to a channel after the proxy has checked them.
        init(to other: any NIOCore.Channel, _ proxy: CutProxy, _ answers: AnswerRelay) {
            self.other = other
            self.proxy = proxy
            self.answers = answers
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            unread.writeImmutableBuffer(unwrapInboundIn(data))
            var passed = ByteBuffer()
            if !hasGreeted, let greeting = unread.readSlice(length: 8) {
                hasGreeted = true
                passed.writeImmutableBuffer(greeting)
            }
            while hasGreeted {
                let start = unread
                guard let frame = try? unread.readFrame(longest: 1 << 20) else { break }
                let length = unread.readerIndex - start.readerIndex
                if proxy.judges(frame) {
                    context.close(promise: nil)
                    other.close(promise: nil)
                    return
                }
                note(frame)
                refuse(frame, context.channel)
                if !stays(frame) { passed.writeBytes(start.readableBytesView.prefix(length)) }
            }
            unread.discardReadBytes()
            if proxy.garbles.withLock({ $0 }) {
                var bytes = Array(passed.readableBytesView)
                for place in bytes.indices.dropLast() where bytes[place...].starts(with: [7, 7]) {
                    bytes[place] = 255
                }
                passed = ByteBuffer(bytes: bytes)
            }
            other.writeAndFlush(passed, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            other.close(promise: nil)
        }

        private func note(_ frame: Frame) {
            if proxy.mutes(frame) { isMute = true }
            guard case .method(_, let channel) = frame else { return }
            if proxy.withholds(frame) { answers.withheld = channel }
            if proxy.refuses(frame) { refused = channel }
        }

        /// Answers the publications of a refused channel.
        private func refuse(_ frame: Frame, _ client: any NIOCore.Channel) {
            guard case .method(.basicPublish, refused) = frame, let refused else { return }
            refusedCount += 1
            let nack = Method.basicNack(delivery: refusedCount, multiple: false, requeue: false)
            var answer = ByteBuffer()
            answer.writeFrame(.method(nack, channel: refused))
            client.writeAndFlush(answer, promise: nil)
        }

        private func stays(_ frame: Frame) -> Bool {
            switch frame {
            case .method(.basicPublish, refused), .header(_, _, refused), .body(_, refused): true
            default: isMute && frame != .heartbeat
            }
        }
    }

    /// Passes the broker's bytes on to the client.
    private final class AnswerRelay: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        /// The channel with withheld messages.
        var withheld: UInt16?
        private let other: any NIOCore.Channel
        private var unread = ByteBuffer()

        init(to other: any NIOCore.Channel) {
            self.other = other
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            unread.writeImmutableBuffer(unwrapInboundIn(data))
            var passed = ByteBuffer()
            while true {
                let start = unread
                guard let frame = try? unread.readFrame(longest: 1 << 20) else { break }
                let length = unread.readerIndex - start.readerIndex
                if !stays(frame) { passed.writeBytes(start.readableBytesView.prefix(length)) }
            }
            unread.discardReadBytes()
            other.writeAndFlush(passed, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            other.close(promise: nil)
        }

        private func stays(_ frame: Frame) -> Bool {
            switch frame {
            case .method(.basicDeliver, withheld), .header(_, _, withheld), .body(_, withheld):
                true
            default: false
            }
        }
    }
}
