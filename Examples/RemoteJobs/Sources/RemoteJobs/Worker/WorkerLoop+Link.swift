import AMQP
import NIOCore

extension WorkerLoop {
    /// A consumer of one job's queue of one route, on a channel of its own: a queue that is gone
    /// closes the channel on which it is asked for.
    final class Source {
        let number: Int
        let job: Name
        let route: Name
        let channel: AMQP.Channel
        /// The consumers' tags and what each may hold, once the broker has confirmed them.
        var tags: [(tag: String, prefetch: Int)] = []
        /// How much they may hold together.
        var prefetch: Int
        /// What is to be acknowledged on the channel.
        var acknowledgements = Acknowledgements()
        var lastDelivery = Duration.zero
        /// When its consumers were last reported to a controller that cancels; nil for never.
        var lastReport: Duration?
        /// Whether it takes no more, and ends when what came to it is settled.
        var isLeft = false
        /// How many consumers are about to begin or to end.
        var requestCount = 0

        init(_ number: Int, job: Name, route: Name, channel: AMQP.Channel, prefetch: Int) {
            self.number = number
            self.job = job
            self.route = route
            self.channel = channel
            self.prefetch = prefetch
        }
    }

    /// A connection and the channels that the worker uses of it.
    final class Link {
        /// A queue that is, or is about to be, consumed.
        struct Queue: Hashable {
            let job: Name
            let route: Name
        }

        let connection: Connection
        /// For what goes back and what is declared; it confirms.
        let out: AMQP.Channel
        /// For writing into streams.
        let streams: StreamWriters
        /// For orders to all workers.
        let control: AMQP.Channel
        let suspects: AMQP.Channel
        var suspectsTags: [String] = []
        var sources: [Int: Source] = [:]
        /// The queues that are consumed; 0 for those that are asked for.
        var queues: [Queue: Int] = [:]
        /// Those that wait to be asked for.
        var toAsk = CircularBuffer<Queue>()
        var askedCount = 0
        var lastSource = 0
        /// Rounds of cancels that are answered when a job's queues are consumed.
        var rounds: [Name: [String]] = [:]
        /// Whether outcomes may be written.
        var isReady = false
        /// How many tasks are on their way back.
        var handBacks = 0
        var outcomes = OutcomeBatches()

        init(_ connection: Connection, _ channels: [AMQP.Channel]) {
            self.connection = connection
            out = channels[0]
            control = channels[1]
            suspects = channels[2]
            streams = StreamWriters(connection) { [weak connection] in connection?.abort($0) }
        }

        /// Acknowledges a task, together with what else is acknowledged now.
        func acknowledge(_ tag: WorkerLoop.Ledger.Tag) {
            guard !tag.isSuspect else { return suspects.acknowledge(tag.number) }
            guard let source = sources[tag.source],
                source.acknowledgements.dealtWith(tag.number)
            else { return }
            let bound = NIOLoopBound((self, source), eventLoop: connection.eventLoop)
            connection.eventLoop.execute {
                let (link, source) = bound.value
                link.sendAcknowledgements(of: source)
            }
        }

        func reject(_ tag: WorkerLoop.Ledger.Tag, requeue: Bool) {
            guard !tag.isSuspect else { return suspects.reject(tag.number, requeue: requeue) }
            guard let source = sources[tag.source] else { return }
            source.acknowledgements.rejected(tag.number)
            source.channel.reject(tag.number, requeue: requeue)
        }

        func sendAcknowledgements() {
            for source in sources.values { sendAcknowledgements(of: source) }
        }

        private func sendAcknowledgements(of source: Source) {
            guard sources[source.number] === source else { return }
            for word in source.acknowledgements.take() {
                source.channel.acknowledge(word.number, multiple: word.isMultiple)
            }
            closeIfSettled(source)
        }

        /// Ends a source that was left, when its consumers have ended and its messages are settled.
        func closeIfSettled(_ source: Source) {
            guard source.isLeft, source.requestCount == 0, source.tags.isEmpty else { return }
            guard source.acknowledgements.isSettled else { return }
            sources[source.number] = nil
            _ = source.channel.close()
        }
    }
}
