import AMQP

/// Interprets the broker's codes.
///
/// After any other code, a new connection is tried.
extension ConnectionError {
    /// Whether the broker rejects the user, or denies a permission that is needed.
    var isRefusal: Bool {
        switch self {
        case .refused: true
        case .channelClosed(let reason): reason.code == 403
        default: false
        }
    }

    /// Whether a worker has held a message longer than the broker's `consumer_timeout`.
    var isTimeout: Bool {
        if case .channelClosed(let reason) = self {
            return reason.code == 406 && reason.text.contains("timed out")
        }
        return false
    }

    /// Whether an exclusive queue belongs to another connection.
    var isLocked: Bool {
        if case .channelClosed(let reason) = self { return reason.code == 405 }
        return false
    }

    /// Whether a queue does not exist.
    ///
    /// If its node is down or does not answer, the code is the same.
    var isMissing: Bool {
        if case .channelClosed(let reason) = self {
            return reason.code == 404 && reason.text.contains("no queue")
        }
        return false
    }
}
