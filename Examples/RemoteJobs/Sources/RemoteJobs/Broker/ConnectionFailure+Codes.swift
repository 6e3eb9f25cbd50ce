import AMQP

/// What the broker's codes mean here. All others are tried again, on another connection.
extension ConnectionFailure {
    /// Whether the broker does not let the user in, or not to what is needed.
    var isRefusal: Bool {
        switch self {
        case .refused: true
        case .channelClosed(let reason): reason.code == 403
        default: false
        }
    }

    /// Whether a worker has held a message for longer than the broker's `consumer_timeout`.
    var isTimeout: Bool {
        if case .channelClosed(let reason) = self {
            return reason.code == 406 && reason.text.contains("timed out")
        }
        return false
    }

    /// Whether an exclusive queue is another connection's.
    var isLocked: Bool {
        if case .channelClosed(let reason) = self { return reason.code == 405 }
        return false
    }

    /// Whether a queue is not there; one whose node is down or does not answer has the same code.
    var isMissing: Bool {
        if case .channelClosed(let reason) = self {
            return reason.code == 404 && reason.text.contains("no queue")
        }
        return false
    }
}
