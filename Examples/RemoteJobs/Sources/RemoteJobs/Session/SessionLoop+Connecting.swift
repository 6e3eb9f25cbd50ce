import AMQP
import NIOCore

extension SessionLoop {
    /// A connection and the channels that the session uses of it.
    final class Link {
        let connection: Connection
        /// For tasks and for what is declared; it confirms.
        private(set) var out: AMQP.Channel
        /// How many channels for tasks were left.
        private(set) var outNumber = 0
        /// For reading the job's stream.
        let stream: AMQP.Channel
        /// For writing into streams.
        let streams: StreamWriters
        let openedAt: Duration
        /// Whether the stream was read up to this connection's marker.
        var isReady = false
        /// Whether the broker takes nothing for want of memory or disk.
        var isBlocked = false
        /// Whether the broker has refused a task on the channel for tasks.
        var isRefused = false
        /// Channels for tasks that were left.
        private let leaving = LeavingChannels()
        /// Whether the stream is still heard.
        var monitor = StreamMonitor()
        /// How many messages of the stream were read since the last were acknowledged.
        var unacknowledged = 0
        /// The last message of the stream.
        var lastDelivery: UInt64 = 0

        init(_ connection: Connection, out: AMQP.Channel, stream: AMQP.Channel, at now: Duration) {
            self.connection = connection
            self.out = out
            self.stream = stream
            streams = StreamWriters(connection) { [weak connection] in connection?.abort($0) }
            openedAt = now
        }

        /// Leaves the channel for tasks for another one.
        ///
        /// A queue whose leader's node has just died may refuse a channel's first task, and with
        /// RabbitMQ 3.10.8 all that this channel ever publishes after it.
        func renewOut() {
            leaving.leave(out)
            leaving.closeAnswered()
            let onLoss = out.onLoss
            out = connection.openConfirmingChannel()
            out.onLoss = onLoss
            outNumber += 1
            isRefused = false
        }

        /// Tells the broker that the stream's messages so far were read.
        func acknowledgeStream() {
            guard unacknowledged > 0 else { return }
            unacknowledged = 0
            stream.acknowledge(lastDelivery, multiple: true)
        }
    }

    private static let streamPrefetch = 2_000

    /// Connects to the next node, and takes all steps until the session's marker is on its way.
    func connect() async {
        guard ending == nil else { return }
        generation += 1
        let generation = generation
        let address = nodes.takeNext()
        lastBroker = address.description
        var opened: Connection?
        do {
            let connection = try await Connection.open(address: address, on: eventLoop).value
            opened = connection
            trying = connection
            after(Layout.longestTry) { $0.giveUpTry(generation) }
            guard ending == nil else { return connection.abort(.closedHere) }
            connection.onEnd = { [weak self] failure in
                self?.assumeIsolated { $0.connectionEnded(failure, generation) }
            }
            try await takeLock(on: connection)
            let out = try await connection.openChannel().get().value
            try await out.confirmPublications().get()
            try await Layout.declareShared(on: out).get()
            try await Layout.declareJob(job, on: out).get()
            let stream = try await connection.openChannel().get().value
            guard ending == nil, self.generation == generation else {
                return connection.abort(.closedHere)
            }
            guard connection.isOpen else { throw ConnectionFailure.transportLost }
            let link = Link(connection, out: out, stream: stream, at: now)
            self.link = link
            connection.onBlocked = { [weak self] isBlocked in
                self?.assumeIsolated { $0.blocked(isBlocked, generation) }
            }
            out.onLoss = { [weak self] failure in
                self?.assumeIsolated { $0.channelLost(failure, generation) }
            }
            stream.onLoss = out.onLoss
            let consuming = stream.consume(
                Layout.stream(of: job),
                prefetch: SessionLoop.streamPrefetch,
                arguments: [
                    "x-stream-offset": nextOffset.map { .int64(Int64($0)) } ?? .string("first")
                ]
            ) { [weak self] message in
                self?.assumeIsolated { $0.received(message, generation) }
            }
            _ = try await consuming.get()
            guard self.generation == generation else { return }
            write(Envelope.mark(.life, marker), ByteBuffer())
            trying = nil
            watchStream(generation)
        } catch {
            failed(error, opened, generation)
        }
    }

    /// Cuts a connection off whose broker does not answer, though its heart beats.
    private func giveUpTry(_ generation: Int) {
        guard self.generation == generation else { return }
        trying?.abort(.unanswered)
    }

    /// Sees each few seconds whether the stream is heard, and makes the connection anew if not.
    private func watchStream(_ generation: Int) {
        after(StreamMonitor.tick) { loop in
            guard loop.generation == generation, let link = loop.link else { return }
            // What is not acknowledged for long makes the broker close the channel.
            link.acknowledgeStream()
            let action = link.monitor.ticked(
                isReady: link.isReady,
                isAwaited: !link.isReady || loop.ledger.awaitsStream,
                isBlocked: link.isBlocked
            )
            switch action {
            case .ask: loop.write(Envelope.mark(.life, loop.marker), ByteBuffer())
            case .giveUp: return link.connection.abort(.unanswered)
            case nil: break
            }
            loop.watchStream(generation)
        }
    }

    private func failed(_ error: any Error, _ connection: Connection?, _ generation: Int) {
        // The connection's end may have been noticed already, and another be under way.
        guard self.generation == generation, ending == nil else {
            connection?.abort(.closedHere)
            return
        }
        self.generation += 1
        link = nil
        connection?.onEnd = nil
        connection?.abort(.closedHere)
        lastReason = BrokerNodes.reason(of: error)
        let random = Double.random(in: 0...1)
        switch error {
        case let failure as ConnectionFailure where failure.isLocked:
            perform(machine.locked(at: now))
        case let failure as ConnectionFailure where failure.isRefusal:
            perform(machine.refused(at: now, random: random))
        default: perform(machine.failed(at: now, random: random))
        }
    }

    /// What this connection writes into the stream, to know when it has read all before.
    private var marker: String { "\(life).\(generation)" }

    private func takeLock(on connection: Connection) async throws {
        let channel = try await connection.openChannel().get().value
        _ = try await channel.declareQueue(Layout.lock(of: job), .exclusive).get()
    }

    private func connectionEnded(_ failure: ConnectionFailure, _ generation: Int) {
        guard self.generation == generation, let link else { return }
        let wasReady = link.isReady
        self.link = nil
        self.generation += 1
        lastReason = failure.description
        ledger.connectionLost()
        connectionChanged()
        let random = Double.random(in: 0...1)
        if failure.isRefusal {
            perform(machine.refused(at: now, random: random))
        } else if wasReady {
            perform(machine.lost(at: now))
        } else {
            perform(machine.failed(at: now, random: random))
        }
    }

    /// A channel that was in use is gone: the connection is made anew.
    private func channelLost(_ failure: ConnectionFailure, _ generation: Int) {
        guard self.generation == generation else { return }
        link?.connection.abort(failure)
    }

    private func blocked(_ isBlocked: Bool, _ generation: Int) {
        guard self.generation == generation else { return }
        link?.isBlocked = isBlocked
        carryOut([])
    }

    /// Takes a message of the job's stream.
    private func received(_ message: Message, _ generation: Int) {
        guard self.generation == generation, let link else { return }
        if let offset = message.header("x-stream-offset")?.integer { nextOffset = offset + 1 }
        link.monitor.heard()
        link.unacknowledged += 1
        link.lastDelivery = message.deliveryTag
        if link.unacknowledged >= SessionLoop.streamPrefetch / 8 { link.acknowledgeStream() }
        // What this life has said of its tasks, it knows.
        let isOwn = message.properties.correlationID == life
        if isOwn, message.properties.type == Envelope.Kind.queued.rawValue { return }
        for part in Envelope.parts(of: message) {
            if let record = Envelope.record(in: part) { read(record, on: link, generation) }
        }
    }

    private func read(_ record: JobRecord<ByteBuffer>, on link: Link, _ generation: Int) {
        switch record {
        case .life(marker) where link.isReady: break
        case .life(marker):
            link.isReady = true
            firstGeneration = firstGeneration ?? generation
            let actions = ledger.opened()
            perform(machine.markerRead())
            carryOut(actions)
        case .seen(let round, let worker, let routes):
            carryOut(ledger.cancelRoundSeen(round, by: worker.instance, routes: routes))
        default:
            carryOut(ledger.read(record))
        }
    }
}
