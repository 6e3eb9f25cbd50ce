/// The reason why a connection, a channel or a request has ended.
public enum ConnectionError: Error, Hashable {
    /// The broker rejects the user, or has no such virtual host.
    case refused(ClosingReason)
    /// The broker has closed the connection.
    case connectionClosed(ClosingReason)
    /// The broker has closed the channel.
    case channelClosed(ClosingReason)
    /// The broker has sent invalid bytes.
    case wrongBytes(WireError)
    /// No byte has come from the broker for more than two heartbeats.
    case silent
    /// The broker has not answered a request for too long, although its heartbeats arrive.
    case unanswered
    /// The broker has not confirmed a message for too long, although its heartbeats arrive.
    case unconfirmed
    /// The TLS handshake failed, for example because the broker's certificate is not trusted.
    case encryptionFailed(String)
    /// The transport has been closed or lost.
    case transportLost
    /// This side has closed it.
    case closedHere
    /// The connection has as many open channels as it can have.
    case noChannelLeft
}

extension ConnectionError: CustomStringConvertible {
    /// A short description without user and password.
    public var description: String {
        switch self {
        case .refused(let reason): "refused: \(reason.text)"
        case .connectionClosed(let reason): "closed by the broker: \(reason.code) \(reason.text)"
        case .channelClosed(let reason): "channel closed: \(reason.code) \(reason.text)"
        case .wrongBytes(let error): "not AMQP: \(error)"
        case .silent: "no heartbeat"
        case .unanswered: "no answer"
        case .unconfirmed: "no confirm"
        case .encryptionFailed(let reason): "no TLS: \(reason)"
        case .transportLost: "connection lost"
        case .closedHere: "closed"
        case .noChannelLeft: "no channel is left"
        }
    }
}
