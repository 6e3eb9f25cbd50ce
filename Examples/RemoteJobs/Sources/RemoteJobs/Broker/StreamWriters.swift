import AMQP
import NIOCore

/// Writes into streams, with a separate confirming channel for each stream.
///
/// RabbitMQ 3.10.8 confuses two numbers when a stream has a new leader. It then sends the
/// unconfirmed messages again with the numbers of the channel instead of the stream's numbers. Both
/// numbers are equal if the channel serves only one stream. Otherwise, messages are confirmed and
/// lost.
///
/// > Thread: The connection's event loop only.
final class StreamWriters {
    /// The highest number of open channels, if none has messages under way.
    private static let mostChannels = 100

    private struct Writer {
        let channel: AMQP.Channel
        var lastUse: Int
    }

    private let connection: Connection
    private let onLoss: (ConnectionError) -> Void
    private var writers: [Name: Writer] = [:]
    /// Channels that get no new messages.
    private let leaving = LeavingChannels()
    private var useCount = 0

    /// Creates the writers of a connection, without channels.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - onLoss: Called if a channel closes unexpectedly.
    init(_ connection: Connection, onLoss: @escaping (ConnectionError) -> Void) {
        self.connection = connection
        self.onLoss = onLoss
    }

    /// Writes a message into a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - properties: The properties of the message.
    ///   - body: The body.
    ///   - answer: Called once with the result.
    func write(
        to stream: String,
        _ properties: MessageProperties,
        _ body: ByteBuffer,
        answer: @escaping (PublishOutcome) -> Void = { _ in }
    ) {
        let stream = Name(stream)
        let channel = channel(for: stream)
        channel.publish(to: "", key: stream.text, properties, body) { [weak self] outcome in
            // The channel has counted a message that the stream has not. Therefore, the next
            // message needs a new channel.
            if outcome != .confirmed { self?.leave(stream, channel) }
            answer(outcome)
            self?.leaving.closeAnswered()
        }
    }

    private func channel(for stream: Name) -> AMQP.Channel {
        useCount += 1
        if let writer = writers[stream] {
            writers[stream]?.lastUse = useCount
            return writer.channel
        }
        if writers.count >= StreamWriters.mostChannels { leaveIdle() }
        let channel = connection.openConfirmingChannel()
        channel.onLoss = onLoss
        writers[stream] = Writer(channel: channel, lastUse: useCount)
        return channel
    }

    /// Uses a new channel for all further messages into a stream.
    func leave(_ stream: String) {
        let stream = Name(stream)
        guard let writer = writers[stream] else { return }
        leave(stream, writer.channel)
        leaving.closeAnswered()
    }

    /// Leaves the channel that has been unused for longest and has no unconfirmed messages.
    private func leaveIdle() {
        let idle = writers.filter { $0.value.channel.unconfirmedCount == 0 }
        guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        leave(oldest.key, oldest.value.channel)
        leaving.closeAnswered()
    }

    private func leave(_ stream: Name, _ channel: AMQP.Channel) {
        guard writers[stream]?.channel === channel else { return }
        writers[stream] = nil
        leaving.leave(channel)
    }
}
