/// Decides about the handshake and the channels, and matches answers to requests.
///
/// Each channel answers its requests in order. Therefore, a request may be sent before earlier ones
/// are answered. `Reply` is the promise that waits for an answer.
package struct ConnectionStateMachine<Reply> {
    package enum Action {
        case send(Method, channel: UInt16)
        /// The handshake is complete.
        case opened
        case answer(Reply, Method)
        case fail(Reply, ConnectionError)
        /// The channel has closed, and this side did not request it.
        case channelLost(UInt16, ConnectionError)
        /// Nothing here waits for the method.
        ///
        /// It is a delivery, a confirm or a return.
        case passOn(Method, channel: UInt16)
        /// The broker has stopped accepting messages for a reason, or accepts them again (nil).
        case blocked(String?)
        case closeTransport
        /// The connection has ended.
        ///
        /// This action comes once and is the last one.
        case ended(ConnectionError)
    }

    private enum State: Equatable {
        case awaitingStart
        case awaitingTune
        case awaitingOpenOK
        case open
        case closing
        case ended
    }

    private struct ChannelState {
        var waiting: [Reply] = []
        var answeredCount: UInt64 = 0
        /// Whether this side has requested the close, which is then the last pending request.
        var isClosing = false
        /// Whether the broker has closed it and now answers only a request to close it.
        var isClosedByBroker = false
    }

    private let user: String
    private let password: String
    private let virtualHost: String
    private let wishedHeartbeat: UInt16
    private var state = State.awaitingStart
    private var channels: [UInt16: ChannelState] = [:]
    /// Channels that the broker has closed.
    ///
    /// Late answers on them are ignored.
    private var closedByBroker: Set<UInt16> = []
    private var lastChannel: UInt16 = 0
    /// The highest number of open channels, slightly below RabbitMQ's own limit.
    private var mostChannels: UInt16 = 2_000
    /// The smallest frame size that AMQP allows a peer to ask for, in bytes.
    private static var shortestFrame: UInt32 { 4_096 }

    /// The negotiated frame size, in bytes.
    package private(set) var longestFrame = 131_072
    /// The negotiated number of seconds between heartbeats, or 0 for none.
    package private(set) var heartbeat: UInt16 = 0

    package init(user: String, password: String, virtualHost: String, heartbeat: UInt16) {
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
        wishedHeartbeat = heartbeat
    }

    package var isOpen: Bool { state == .open }

    /// The number of the oldest unanswered request on a channel.
    package func oldestRequest(on channel: UInt16) -> UInt64? {
        channels[channel].flatMap { $0.waiting.isEmpty ? nil : $0.answeredCount }
    }

    // MARK: Requests of this side

    /// Opens a channel.
    ///
    /// - Returns: The channel's number, or 0 if none is free, and the actions to carry out.
    package mutating func channelRequested(_ reply: Reply) -> (UInt16, [Action]) {
        guard state == .open else { return (0, [.fail(reply, .closedHere)]) }
        guard channels.count < Int(mostChannels) else { return (0, [.fail(reply, .noChannelLeft)]) }
        repeat { lastChannel = lastChannel % mostChannels + 1 } while channels[lastChannel] != nil
        channels[lastChannel] = ChannelState(waiting: [reply])
        closedByBroker.remove(lastChannel)
        return (lastChannel, [.send(.channelOpen, channel: lastChannel)])
    }

    /// Sends a method that the broker answers.
    package mutating func requested(_ method: Method, on channel: UInt16, _ reply: Reply)
        -> [Action]
    {
        guard state == .open, channels[channel]?.isClosing == false else {
            return [.fail(reply, .closedHere)]
        }
        channels[channel]?.waiting.append(reply)
        if case .channelClose = method { channels[channel]?.isClosing = true }
        return [.send(method, channel: channel)]
    }

    /// Closes the connection.
    package mutating func closeRequested() -> [Action] {
        switch state {
        case .open:
            state = .closing
            let reason = ClosingReason(code: 200, text: "done")
            return [.send(.connectionClose(reason), channel: 0)]
        case .closing, .ended: return []
        default: return end(.closedHere)
        }
    }

    // MARK: What happens

    /// Ends the connection after an invalid frame or missing heartbeats.
    package mutating func failed(_ failure: ConnectionError) -> [Action] {
        end(failure)
    }

    /// Ends the connection because its transport has closed.
    package mutating func transportClosed() -> [Action] {
        end(state == .closing ? .closedHere : .transportLost)
    }

    /// Handles a method from the broker.
    package mutating func received(_ method: Method, on channel: UInt16) -> [Action] {
        switch (state, method) {
        case (.ended, _): []
        case (_, .connectionClose(let reason)): brokerCloses(reason)
        case (.closing, .connectionCloseOK): end(.closedHere)
        case (.closing, _): []
        case (.awaitingStart, .connectionStart): answerStart()
        case (.awaitingTune, .connectionTune(let channels, let frame, _)):
            answerTune(channels: channels, frame: frame)
        case (.awaitingOpenOK, .connectionOpenOK): opened()
        case (.open, .connectionBlocked(let reason)): [.blocked(reason)]
        case (.open, .connectionUnblocked): [.blocked(nil)]
        case (.open, _) where channel != 0: received(method, onOpen: channel)
        default: end(.wrongBytes(.unexpectedFrame))
        }
    }

    private mutating func answerStart() -> [Action] {
        state = .awaitingTune
        let capabilities: FieldTable = [
            "publisher_confirms": .boolean(true),
            "basic.nack": .boolean(true),
            "consumer_cancel_notify": .boolean(true),
            "connection.blocked": .boolean(true),
            "authentication_failure_close": .boolean(true),
        ]
        let answer = Method.connectionStartOK(
            properties: ["product": .string("RemoteJobs"), "capabilities": .table(capabilities)],
            mechanism: "PLAIN",
            response: [0] + Array(user.utf8) + [0] + Array(password.utf8)
        )
        return [.send(answer, channel: 0)]
    }

    private mutating func answerTune(channels: UInt16, frame: UInt32) -> [Action] {
        guard frame == 0 || frame >= Self.shortestFrame else {
            return end(.wrongBytes(.framesTooShort(frame)))
        }
        state = .awaitingOpenOK
        if channels > 0 { mostChannels = min(mostChannels, channels) }
        longestFrame = frame == 0 ? longestFrame : min(longestFrame, Int(frame))
        self.heartbeat = wishedHeartbeat
        let answer = Method.connectionTuneOK(
            channelMax: channels == 0 ? 2_047 : min(2_047, channels),
            frameMax: UInt32(longestFrame),
            heartbeat: self.heartbeat
        )
        return [
            .send(answer, channel: 0),
            .send(.connectionOpen(virtualHost: virtualHost), channel: 0),
        ]
    }

    private mutating func opened() -> [Action] {
        state = .open
        return [.opened]
    }

    private mutating func brokerCloses(_ reason: ClosingReason) -> [Action] {
        let isRefusal = state != .open && (reason.code == 403 || reason.code == 530)
        return [.send(.connectionCloseOK, channel: 0)]
            + end(isRefusal ? .refused(reason) : .connectionClosed(reason))
    }

    private mutating func received(_ method: Method, onOpen channel: UInt16) -> [Action] {
        switch method {
        case .channelClose(let reason): return brokerCloses(channel, reason)
        case .channelFlow(let active):
            return [.send(.channelFlowOK(active: active), channel: channel)]
        case _ where method.isAnswer:
            guard let known = channels[channel], let reply = known.waiting.first else {
                return closedByBroker.contains(channel) ? [] : end(.wrongBytes(.unexpectedFrame))
            }
            guard !known.isClosedByBroker || method == .channelCloseOK else { return [] }
            channels[channel]?.waiting.removeFirst()
            channels[channel]?.answeredCount += 1
            if method == .channelCloseOK { channels[channel] = nil }
            return [.answer(reply, method)]
        default:
            return channels[channel] == nil ? [] : [.passOn(method, channel: channel)]
        }
    }

    /// Closes a channel on the broker's request, which may cross a request of this side.
    ///
    /// If the two requests cross, each side answers the other's, and the channel ends with the
    /// answer to the request of this side. The broker has answered none of the other pending
    /// requests.
    private mutating func brokerCloses(_ channel: UInt16, _ reason: ClosingReason) -> [Action] {
        guard let known = channels[channel] else { return [] }
        let failure = ConnectionError.channelClosed(reason)
        let answer = Action.send(.channelCloseOK, channel: channel)
        guard known.isClosing, let close = known.waiting.last else {
            channels[channel] = nil
            closedByBroker.insert(channel)
            return [answer] + known.waiting.map { .fail($0, failure) }
                + [.channelLost(channel, failure)]
        }
        channels[channel]?.waiting = [close]
        channels[channel]?.isClosedByBroker = true
        return [answer] + known.waiting.dropLast().map { .fail($0, failure) }
    }

    private mutating func end(_ failure: ConnectionError) -> [Action] {
        guard state != .ended else { return [] }
        state = .ended
        let lost = channels.sorted { $0.key < $1.key }
        channels = [:]
        return lost.flatMap { $0.value.waiting.map { .fail($0, failure) } }
            + lost.map { .channelLost($0.key, failure) }
            + [.closeTransport, .ended(failure)]
    }
}

extension ConnectionStateMachine.Action: Equatable where Reply: Equatable {}

extension Method {
    /// Whether the method answers a request of this side.
    var isAnswer: Bool {
        switch self {
        case .channelOpenOK, .channelCloseOK, .exchangeDeclareOK, .exchangeDeleteOK,
            .queueDeclareOK, .queueBindOK, .queueUnbindOK, .queuePurgeOK, .queueDeleteOK,
            .basicQosOK, .basicConsumeOK, .basicCancelOK, .confirmSelectOK:
            true
        default: false
        }
    }
}
