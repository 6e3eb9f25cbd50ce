/// Why a connection, a channel or a request of it has ended.
public enum ConnectionFailure: Error, Hashable {
    /// The broker does not let the user in, or has no such virtual host.
    case refused(ClosingReason)
    /// The broker has closed the connection.
    case connectionClosed(ClosingReason)
    /// The broker has closed the channel.
    case channelClosed(ClosingReason)
    /// What the broker sent has no meaning.
    case wrongBytes(WireError)
    /// The broker said nothing for more than two heartbeats.
    case silent
    /// The broker did not answer a request for too long, though its heart beats.
    case unanswered
    /// The broker did not confirm a message for too long, though its heart beats.
    case unconfirmed
    /// TLS could not be agreed on, for example since the broker's certificate is not trusted.
    case encryptionFailed(String)
    /// The transport has gone.
    case transportLost
    /// It was closed on this side.
    case closedHere
    /// As many channels are open as a connection has.
    case noChannelLeft
}

extension ConnectionFailure: CustomStringConvertible {
    /// What happened, without user and password.
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
