import AMQP

/// Channels without new publications, which close once the broker has answered all messages.
///
/// It is a class, because closing a channel may answer messages of another one, and their callbacks
/// call this type again.
final class LeavingChannels {
    private var channels: [AMQP.Channel] = []

    func leave(_ channel: AMQP.Channel) { channels.append(channel) }

    /// Closes the channels that have no unanswered messages left.
    func closeAnswered() {
        guard !channels.isEmpty else { return }
        let answered = channels.filter { $0.unconfirmedCount == 0 }
        channels.removeAll { $0.unconfirmedCount == 0 }
        for channel in answered { _ = channel.close() }
    }
}
