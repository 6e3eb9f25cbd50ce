import AMQP
import NIOCore

/// Writes into streams, into each by a channel of its own that confirms.
///
/// RabbitMQ 3.10.8 mixes up two numbers when a stream has a new leader: a channel sends again
/// what is not confirmed, under the channel's numbers instead of the stream's. They are the same
/// where the channel is for one stream alone; else messages are confirmed and lost.
///
/// > Thread: The connection's event loop's alone.
final class StreamWriters {
    /// How many channels may be open at a time, if none has messages on their way.
    private static let mostChannels = 100

    private struct Writer {
        let channel: AMQP.Channel
        var lastUse: Int
    }

    private let connection: Connection
    private let onLoss: (ConnectionFailure) -> Void
    private var writers: [Name: Writer] = [:]
    /// Channels that are used no more.
    private let leaving = LeavingChannels()
    private var useCount = 0

    /// Begins with no channel.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - onLoss: Called if a channel goes.
    init(_ connection: Connection, onLoss: @escaping (ConnectionFailure) -> Void) {
        self.connection = connection
        self.onLoss = onLoss
    }

    /// Writes a message into a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - properties: What travels beside the body.
    ///   - body: The body.
    ///   - answer: Called once with what has become of the message.
    func write(
        to stream: String,
        _ properties: MessageProperties,
        _ body: ByteBuffer,
        answer: @escaping (PublishOutcome) -> Void = { _ in }
    ) {
        let stream = Name(stream)
        let channel = channel(for: stream)
        channel.publish(to: "", key: stream.text, properties, body) { [weak self] outcome in
            // The channel has counted what the stream has not: the next message needs another one.
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

    /// Writes into a stream by another channel from now on.
    func leave(_ stream: String) {
        let stream = Name(stream)
        guard let writer = writers[stream] else { return }
        leave(stream, writer.channel)
        leaving.closeAnswered()
    }

    /// Leaves the channel that was not used for longest, of those that wait for no confirm.
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
