import AMQP
import NIOCore

extension SessionLoop {
    /// A connection with the channels that the session uses.
    final class Link {
        let connection: Connection
        /// The confirming channel for tasks and declarations.
        private(set) var out: AMQP.Channel
        /// How many task channels have been replaced.
        private(set) var outNumber = 0
        /// The channel for reading the job's stream.
        let stream: AMQP.Channel
        /// The channels for writing into streams.
        let streams: StreamWriters
        let openedAt: Duration
        /// Whether the stream was read up to this connection's marker.
        var isReady = false
        /// Whether the broker accepts nothing, because it lacks memory or disk.
        var isBlocked = false
        /// Whether the broker has refused a task on the current task channel.
        var isRefused = false
        /// The replaced task channels.
        private let leaving = LeavingChannels()
        /// Detects a stream that delivers nothing.
        var monitor = StreamMonitor()
        /// The number of stream messages read since the last acknowledgement.
        var unacknowledged = 0
        /// The latest message of the stream.
        var lastDelivery: UInt64 = 0

        init(_ connection: Connection, out: AMQP.Channel, stream: AMQP.Channel, at now: Duration) {
            self.connection = connection
            self.out = out
            self.stream = stream
            streams = StreamWriters(connection) { [weak connection] in connection?.abort($0) }
            openedAt = now
        }

        /// Replaces the task channel.
        ///
        /// After the death of the node that led a queue, the broker may refuse a channel's first
        /// task. RabbitMQ 3.10.8 then refuses everything that this channel publishes later too.
        func renewOut() {
            leaving.leave(out)
            leaving.closeAnswered()
            let onLoss = out.onLoss
            out = connection.openConfirmingChannel()
            out.onLoss = onLoss
            outNumber += 1
            isRefused = false
        }

        /// Acknowledges all stream messages read so far.
        func acknowledgeStream() {
            guard unacknowledged > 0 else { return }
            unacknowledged = 0
            stream.acknowledge(lastDelivery, multiple: true)
        }
    }

    private static let streamPrefetch = 2_000

    /// Connects to the next node and prepares the connection until the session's marker is under
    /// way.
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
            after(options.pace.longestTry) { $0.giveUpTry(generation) }
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
            guard connection.isOpen else { throw ConnectionError.transportLost }
            let link = Link(connection, out: out, stream: stream, at: now)
            self.link = link
            connection.onBlocked = { [weak self] reason in
                self?.assumeIsolated { $0.blocked(reason, generation) }
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
            watchRoutes(generation)
        } catch {
            failed(error, opened, generation)
        }
    }

    /// Aborts a connection attempt if the broker sends heartbeats but no answers.
    private func giveUpTry(_ generation: Int) {
        guard self.generation == generation else { return }
        trying?.abort(.unanswered)
    }

    /// Checks every few seconds whether the stream delivers, and reconnects if it does not.
    private func watchStream(_ generation: Int) {
        after(options.pace.streamTick) { loop in
            guard loop.generation == generation, let link = loop.link else { return }
            // The broker closes the channel if a message stays unacknowledged for long.
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
        // The end of the connection may have been handled already, and another attempt be under
        // way.
        guard self.generation == generation, ending == nil else {
            connection?.abort(.closedHere)
            return
        }
        self.generation += 1
        link = nil
        connection?.onEnd = nil
        connection?.abort(.closedHere)
        lastReason = BrokerNodes.reason(of: error)
        if let failure = error as? ConnectionError, failure.isLocked {
            waitForLock()
        } else {
            waitForBroker(lastReason)
        }
        switch error {
        case let failure as ConnectionError where failure.isLocked:
            perform(machine.locked(at: now))
        case let failure as ConnectionError where failure.isRefusal:
            perform(machine.refused(at: now))
        default: perform(machine.failed(at: now))
        }
    }

    /// The record that this connection writes into the stream to detect that it has read all
    /// earlier records.
    private var marker: String { "\(life).\(generation)" }

    private func takeLock(on connection: Connection) async throws {
        let channel = try await connection.openChannel().get().value
        _ = try await channel.declareQueue(Layout.lock(of: job), .exclusive).get()
    }

    private func connectionEnded(_ failure: ConnectionError, _ generation: Int) {
        guard self.generation == generation, let link else { return }
        let wasReady = link.isReady
        self.link = nil
        self.generation += 1
        lastReason = failure.description
        waitForBroker(lastReason)
        reading.interrupted()
        ledger.connectionLost()
        connectionChanged()
        if failure.isRefusal {
            perform(machine.refused(at: now))
        } else if wasReady {
            perform(machine.lost(at: now))
        } else {
            perform(machine.failed(at: now))
        }
    }

    /// Reconnects, because a channel in use has closed.
    private func channelLost(_ failure: ConnectionError, _ generation: Int) {
        guard self.generation == generation else { return }
        link?.connection.abort(failure)
    }

    private func blocked(_ reason: String?, _ generation: Int) {
        guard self.generation == generation else { return }
        link?.isBlocked = reason != nil
        waitForRoom(reason)
        carryOut([])
    }

    /// Handles a message of the job's stream.
    private func received(_ message: Message, _ generation: Int) {
        guard self.generation == generation, let link else { return }
        let offset = Intake.offset(of: message)
        if let offset { nextOffset = offset + 1 }
        link.monitor.heard()
        link.unacknowledged += 1
        link.lastDelivery = message.deliveryTag
        if link.unacknowledged >= SessionLoop.streamPrefetch / 8 { link.acknowledgeStream() }
        // The ledger already has the information of this run's own records.
        let isOwn = message.properties.correlationID == life
        if isOwn, message.properties.type == Envelope.Kind.queued.rawValue { return }
        do {
            for (record, bytes) in try Intake.records(in: message, of: job) {
                let place = offset.map { StreamPlace(offset: $0, bytes: bytes) }
                // A record that is kept for later must not retain the bytes around it.
                let kept = link.isReady ? record : record.alone
                read(kept, at: place, on: link, generation)
            }
        } catch {
            refuse(message, from: Layout.stream(of: job), error.reason)
        }
    }

    /// Counts a refused message, and copies it into the queue for inspection.
    private func refuse(_ message: Message, from queue: String, _ reason: String) {
        if refusals.refused(from: queue, reason) {
            logger.info("a message of \(queue) is not used: \(reason)")
        }
        schedulePump()
        guard refusals.copiesAnother(), let link else { return }
        let (properties, body) = Refusals.report(of: message, from: queue, reason)
        link.out.publish(to: "", key: Layout.refused, properties, body) { _ in }
    }

    private func read(
        _ record: JobRecord<ByteBuffer>,
        at place: StreamPlace?,
        on link: Link,
        _ generation: Int
    ) {
        switch record {
        case .life(marker) where link.isReady: break
        case .life(marker):
            link.isReady = true
            firstGeneration = firstGeneration ?? generation
            stopWaiting()
            let actions = ledger.opened()
            perform(machine.markerRead())
            carryOut(actions)
            announce()
            readOutcomesSoon()
        case .seen(let round, let worker, let routes):
            if ledger.cancelRoundSeen(round, by: worker.instance, routes: routes) { countSoon() }
        default:
            carryOut(ledger.read(record, at: place))
        }
    }
}
