import NIOCore
import NIOHTTPTypes

// NIO calls a handler only on its connection's event loop, and never sends it elsewhere.
/// Closes a connection when its clock's deadline has passed.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let start = NIODeadline.now()
    private var clock: ConnectionClock
    private var timer: Scheduled<Void>?
    private var due: Duration?
    private let silent: SilentConnections
    private var silentID: Int?

    init(_ limits: ConnectionClock.Limits, silent: SilentConnections) {
        clock = ConnectionClock(openedAt: .zero, limits: limits)
        self.silent = silent
    }

    func handlerAdded(context: ChannelHandlerContext) {
        silentID = silent.opened(context.channel)
        // This handler does not receive bytes before a header is complete, so a second handler
        // does.
        let first = FirstBytes { [self] in bytesRead(context) }
        try? context.pipeline.syncOperations.addHandler(first, position: .first)
        schedule(context)
    }

    private func endSilence() {
        guard let id = silentID else { return }
        silentID = nil
        silent.spokeOrClosed(id)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endSilence()
        timer?.cancel()
        timer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        endSilence()
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            endSilence()
            clock.headRead(at: now)
        case .body: break
        case .end: clock.requestRead()
        }
        schedule(context)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            clock.answerWritten(at: now)
            schedule(context)
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            clock.writingUnblocked()
        } else {
            clock.writingBlocked(at: now)
        }
        schedule(context)
        context.fireChannelWritabilityChanged()
    }

    private func bytesRead(_ context: ChannelHandlerContext) {
        clock.bytesRead(at: now)
        schedule(context)
    }

    private var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

    /// Sets a new timer only for an earlier deadline.
    ///
    /// A timer that fires too early is set again.
    private func schedule(_ context: ChannelHandlerContext) {
        guard let deadline = clock.deadline else { return }
        if let due, due <= deadline, timer != nil { return }
        timer?.cancel()
        due = deadline
        timer = context.eventLoop.assumeIsolated()
            .scheduleTask(deadline: start + TimeAmount(deadline)) { [self] in
                timer = nil
                due = nil
                guard let deadline = clock.deadline else { return }
                if deadline <= now { context.close(promise: nil) } else { schedule(context) }
            }
    }
}

/// Reports the arrival of bytes before they are decoded.
private final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let told: () -> Void

    init(told: @escaping () -> Void) {
        self.told = told
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        told()
        context.fireChannelRead(data)
    }
}
