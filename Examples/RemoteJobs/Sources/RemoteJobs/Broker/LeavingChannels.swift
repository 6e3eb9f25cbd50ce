import AMQP

/// Channels on which nothing more is published, and that close when all on them is answered.
///
/// A class: closing one may answer messages of another, which brings the caller back here.
final class LeavingChannels {
    private var channels: [AMQP.Channel] = []

    func leave(_ channel: AMQP.Channel) { channels.append(channel) }

    /// Closes those on which nothing waits for an answer any more.
    func closeAnswered() {
        guard !channels.isEmpty else { return }
        let answered = channels.filter { $0.unconfirmedCount == 0 }
        channels.removeAll { $0.unconfirmedCount == 0 }
        for channel in answered { _ = channel.close() }
    }
}
