import AMQP
import NIOCore

extension WorkerLoop {
    /// The consumers of one job's queue for one route, on a separate channel.
    ///
    /// A request for a missing queue closes its channel.
    final class Source {
        let number: Int
        let job: Name
        let route: Name
        let channel: AMQP.Channel
        /// The confirmed consumers with their tags and the number of messages that each may hold.
        var tags: [(tag: String, prefetch: Int)] = []
        /// The highest number of messages that the consumers hold together.
        var prefetch: Int
        /// The acknowledgements of the channel.
        var acknowledgements = Acknowledgements()
        var lastDelivery = Duration.zero
        /// When the consumers were last reported to a cancelling controller, or nil.
        var lastReport: Duration?
        /// Whether it takes no more messages and ends once its messages are settled.
        var isLeft = false
        /// The number of consumers that are starting or ending.
        var requestCount = 0

        init(_ number: Int, job: Name, route: Name, channel: AMQP.Channel, prefetch: Int) {
            self.number = number
            self.job = job
            self.route = route
            self.channel = channel
            self.prefetch = prefetch
        }
    }

    /// A connection with the channels that the worker uses.
    final class Link {
        /// A queue that is consumed or will be.
        struct Queue: Hashable {
            let job: Name
            let route: Name
        }

        let connection: Connection
        /// The confirming channel for returned tasks and declarations.
        let out: AMQP.Channel
        /// The channels for writing into streams.
        let streams: StreamWriters
        /// The channel for orders to all workers.
        let control: AMQP.Channel
        let suspects: AMQP.Channel
        var suspectsTags: [String] = []
        var sources: [Int: Source] = [:]
        /// The source of each consumed queue, or 0 for a requested queue.
        var queues: [Queue: Int] = [:]
        /// The queues that will be requested.
        var toAsk = CircularBuffer<Queue>()
        var askedCount = 0
        var lastSource = 0
        /// Cancel rounds that are reported once a job's queues are consumed.
        var rounds: [Name: [String]] = [:]
        /// Whether outcomes may be written.
        var isReady = false
        /// The number of tasks that are being returned.
        var handBacks = 0
        var outcomes = OutcomeBatches()

        init(_ connection: Connection, _ channels: [AMQP.Channel]) {
            self.connection = connection
            out = channels[0]
            control = channels[1]
            suspects = channels[2]
            streams = StreamWriters(connection) { [weak connection] in connection?.abort($0) }
        }

        /// Acknowledges a task, together with others that are due.
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

        /// Ends a left source once its consumers have ended and its messages are settled.
        func closeIfSettled(_ source: Source) {
            guard source.isLeft, source.requestCount == 0, source.tags.isEmpty else { return }
            guard source.acknowledgements.isSettled else { return }
            sources[source.number] = nil
            _ = source.channel.close()
        }
    }
}
