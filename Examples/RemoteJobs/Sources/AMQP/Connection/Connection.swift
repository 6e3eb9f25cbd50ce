import NIOCore
import NIOPosix
import NIOSSL

/// A connection to a broker, bound to one event loop.
///
/// > Thread: Its event loop only, which also calls the closures passed to it.
public final class Connection {
    typealias Reply = EventLoopPromise<Method>

    private var machine: ConnectionStateMachine<Reply>
    private var channels: [UInt16: Channel] = [:]
    private var transport: (any NIOCore.Channel)?
    private var outgoing = ByteBuffer()
    private var isFlushScheduled = false
    private var isBlocked = false
    private var hasSentSinceTick = false
    private var monitor = HeartbeatMonitor()
    private var heartbeats: RepeatedTask?
    private let opening: EventLoopPromise<Void>

    /// The event loop.
    public let eventLoop: any EventLoop
    /// Called once when the connection has ended for any reason.
    public var onEnd: ((ConnectionError) -> Void)?
    /// Called with a reason when the broker stops accepting messages because it lacks memory or
    /// disk.
    ///
    /// Called with nil when it accepts messages again.
    public var onBlocked: ((String?) -> Void)?
    /// Whether the connection is open, that is, opened and not ended.
    public var isOpen: Bool { machine.isOpen }

    init(_ machine: consuming ConnectionStateMachine<Reply>, on eventLoop: any EventLoop) {
        self.machine = machine
        self.eventLoop = eventLoop
        opening = eventLoop.makePromise()
    }

    /// Connects to a broker and opens a connection.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - user: The user that logs in.
    ///   - password: The password of the user.
    ///   - virtualHost: The virtual host of the broker.
    ///   - encryption: The encryption of the transport, or nil for none.
    ///   - heartbeat: Seconds between heartbeats. The connection ends after about 2.5 intervals in
    ///     which no byte has come.
    ///   - connectTimeout: The longest time for connecting, and then again for the handshake.
    ///   - eventLoop: The event loop of the connection.
    /// - Returns: The open connection.
    /// - Throws: A ``ConnectionError``, or the error that prevented the transport.
    public static func open(
        host: String,
        port: Int,
        user: String,
        password: String,
        virtualHost: String = "/",
        encryption: TLS? = nil,
        heartbeat: UInt16 = 5,
        connectTimeout: TimeAmount = .seconds(5),
        on eventLoop: any EventLoop
    ) async throws -> NIOLoopBound<Connection> {
        let bound =
            try await eventLoop.submit {
                let machine = ConnectionStateMachine<Reply>(
                    user: user,
                    password: password,
                    virtualHost: virtualHost,
                    heartbeat: heartbeat
                )
                let connection = Connection(machine, on: eventLoop)
                return NIOLoopBound(connection, eventLoop: eventLoop)
            }
            .get()
        let transport: any NIOCore.Channel
        do {
            let context = try encryption?.context()
            transport = try await ClientBootstrap(group: eventLoop)
                .connectTimeout(connectTimeout)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { transport in
                    transport.eventLoop.makeCompletedFuture {
                        if let context {
                            let tls = try TLS.handler(context, host: host)
                            try transport.pipeline.syncOperations.addHandler(tls)
                        }
                        let handler = FrameHandler(bound.value)
                        try transport.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .connect(host: host, port: port)
                .get()
        } catch {
            try await eventLoop.submit { bound.value.abort(.transportLost) }.get()
            throw error
        }
        try await eventLoop.flatSubmit {
            let connection = bound.value
            let timeout = eventLoop.scheduleTask(in: connectTimeout) {
                bound.value.carryOut(bound.value.machine.failed(.unanswered))
            }
            connection.opening.futureResult.whenComplete { _ in timeout.cancel() }
            if !transport.isActive { connection.transportClosed() }
            return connection.opening.futureResult
        }
        .get()
        return bound
    }

    /// Opens a channel.
    public func openChannel() -> EventLoopFuture<NIOLoopBound<Channel>> {
        let (channel, answer) = requestChannel()
        let bound = NIOLoopBound(channel, eventLoop: eventLoop)
        return answer.map { _ in bound }
    }

    /// Opens a channel with confirms.
    ///
    /// The caller may publish on it at once.
    public func openConfirmingChannel() -> Channel {
        let (channel, _) = requestChannel()
        // Sent at once, because a channel handles requests in order.
        _ = channel.confirmPublications()
        return channel
    }

    private func requestChannel() -> (Channel, EventLoopFuture<Method>) {
        let promise = eventLoop.makePromise(of: Method.self)
        let (number, actions) = machine.channelRequested(promise)
        let channel = Channel(number, of: self)
        if number == 0 { channel.lost(.noChannelLeft) } else { channels[number] = channel }
        carryOut(actions)
        return (channel, promise.futureResult)
    }

    /// Closes the connection with the closing handshake.
    ///
    /// ``onEnd`` is called when it has ended.
    public func close() {
        carryOut(machine.closeRequested())
        flush()
    }

    /// Cuts the connection off without a closing handshake.
    ///
    /// - Parameter failure: The error for all open requests and for ``onEnd``.
    public func abort(_ failure: ConnectionError) {
        carryOut(machine.failed(failure))
    }

    // MARK: For channels

    func closed(_ number: UInt16, _ channel: Channel) {
        if channels[number] === channel { channels[number] = nil }
        channel.lost(.closedHere)
    }

    func request(_ method: Method, on channel: UInt16) -> EventLoopFuture<Method> {
        let promise = eventLoop.makePromise(of: Method.self)
        carryOut(machine.requested(method, on: channel, promise))
        return promise.futureResult
    }

    func send(_ method: Method, on channel: UInt16) {
        guard machine.isOpen else { return }
        outgoing.writeFrame(.method(method, channel: channel))
        scheduleFlush()
    }

    func send(
        _ method: Method,
        _ properties: MessageProperties,
        _ body: ByteBuffer,
        on channel: UInt16
    ) {
        guard machine.isOpen else { return }
        outgoing.writeMessage(
            method,
            properties,
            body,
            channel: channel,
            longestFrame: machine.longestFrame
        )
        scheduleFlush()
    }

    // MARK: For the handler

    func transportOpened(_ transport: any NIOCore.Channel) {
        self.transport = transport
        outgoing.writeString("AMQP")
        outgoing.writeBytes([0, 0, 9, 1])
        flush()
    }

    func transportClosed() {
        carryOut(machine.transportClosed())
    }

    func transportFailed(_ error: any Error) {
        guard error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError else {
            return transportClosed()
        }
        carryOut(machine.failed(.encryptionFailed("\(error)")))
    }

    /// The longest frame that the broker may send.
    var longestFrame: Int { machine.longestFrame }

    func bytesReceived() {
        monitor.received()
    }

    func received(_ frame: Frame) {
        do throws(WireError) {
            switch frame {
            case .method(let method, let channel):
                carryOut(machine.received(method, on: channel))
            case .header(let properties, let length, let channel):
                try channels[channel]?.received(properties, bodyLength: length)
            case .body(let piece, let channel):
                try channels[channel]?.received(piece)
            case .heartbeat: break
            }
        } catch {
            wrongBytes(error)
        }
    }

    func wrongBytes(_ error: WireError) {
        carryOut(machine.failed(.wrongBytes(error)))
    }

    // MARK: Acting

    private func carryOut(_ actions: [ConnectionStateMachine<Reply>.Action]) {
        for action in actions {
            switch action {
            case .send(let method, let channel):
                outgoing.writeFrame(.method(method, channel: channel))
                scheduleFlush()
            case .opened:
                startHeartbeats()
                opening.succeed()
            case .answer(let reply, let method): reply.succeed(method)
            case .fail(let reply, let failure): reply.fail(failure)
            case .channelLost(let number, let failure):
                channels.removeValue(forKey: number)?.lost(failure)
            case .passOn(let method, let number):
                do throws(WireError) {
                    try channels[number]?.received(method)
                } catch {
                    wrongBytes(error)
                }
            case .blocked(let reason):
                isBlocked = reason != nil
                onBlocked?(reason)
            case .closeTransport:
                flush()
                transport?.close(promise: nil)
            case .ended(let failure): ended(failure)
            }
        }
    }

    private func ended(_ failure: ConnectionError) {
        heartbeats?.cancel()
        heartbeats = nil
        channels = [:]
        opening.fail(failure)
        let tell = onEnd
        onEnd = nil
        onBlocked = nil
        tell?(failure)
    }

    /// Writes all buffered bytes in one piece, once the code that runs now has returned.
    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        guard outgoing.readableBytes > 0 else { return }
        hasSentSinceTick = true
        transport?.writeAndFlush(outgoing, promise: nil)
        outgoing = ByteBuffer()
    }

    private func startHeartbeats() {
        guard machine.heartbeat > 0 else { return }
        let half = TimeAmount.milliseconds(Int64(machine.heartbeat) * 500)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        heartbeats = eventLoop.scheduleRepeatedTask(initialDelay: half, delay: half) { _ in
            bound.value.tick()
        }
    }

    private func tick() {
        guard monitor.ticked() else { return carryOut(machine.failed(.silent)) }
        let failures = channels.compactMap { number, channel in
            channel.ticked(oldestRequest: machine.oldestRequest(on: number), isBlocked: isBlocked)
        }
        if let failure = failures.first { return carryOut(machine.failed(failure)) }
        if !hasSentSinceTick {
            outgoing.writeFrame(.heartbeat)
            flush()
        }
        hasSentSinceTick = false
    }
}
