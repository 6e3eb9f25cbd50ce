import AMQP
import NIOCore

extension WorkerLoop {
    /// A connection and the channels that the worker uses of it.
    final class Link {
        let connection: Connection
        /// For what goes back and what is declared; it confirms.
        let out: AMQP.Channel
        /// For writing into streams.
        let streams: StreamWriters
        /// For cancels.
        let control: AMQP.Channel
        let tasks: AMQP.Channel
        let suspects: AMQP.Channel
        var consumers: [(AMQP.Channel, String)] = []
        /// Whether outcomes may be written.
        var isReady = false
        /// How many tasks are on their way back.
        var handBacks = 0
        var outcomes = OutcomeBatches()
        /// What is to be acknowledged on the tasks' channel.
        var acknowledgements = Acknowledgements()

        init(_ connection: Connection, _ channels: [AMQP.Channel]) {
            self.connection = connection
            out = channels[0]
            control = channels[1]
            tasks = channels[2]
            suspects = channels[3]
            streams = StreamWriters(connection) { [weak connection] in connection?.abort($0) }
        }

        /// Acknowledges a task, together with what else is acknowledged now.
        func acknowledge(_ tag: WorkerLoop.Ledger.Tag) {
            guard !tag.isSuspect else { return suspects.acknowledge(tag.number) }
            guard acknowledgements.dealtWith(tag.number) else { return }
            let bound = NIOLoopBound(self, eventLoop: connection.eventLoop)
            connection.eventLoop.execute { bound.value.sendAcknowledgements() }
        }

        func reject(_ tag: WorkerLoop.Ledger.Tag, requeue: Bool) {
            if !tag.isSuspect { acknowledgements.rejected(tag.number) }
            (tag.isSuspect ? suspects : tasks).reject(tag.number, requeue: requeue)
        }

        func sendAcknowledgements() {
            for word in acknowledgements.take() {
                tasks.acknowledge(word.number, multiple: word.isMultiple)
            }
        }
    }

    private static let controlPrefetch = 1_000
    private static let openingPatience = Duration.seconds(30)

    /// Connects to the next node, reads the cancels, and then takes tasks.
    func connect() async {
        guard ended != nil, link == nil else { return }
        generation += 1
        let generation = generation
        let address = nodes.takeNext()
        var opened: Connection?
        do {
            let connection = try await Connection.open(address: address, on: eventLoop).value
            opened = connection
            trying = connection
            after(Layout.longestTry) { $0.giveUpTry(generation) }
            connection.onEnd = { [weak self] failure in
                self?.assumeIsolated { $0.connectionEnded(failure, address, generation) }
            }
            var channels: [AMQP.Channel] = []
            for _ in 0..<4 {
                channels.append(try await connection.openChannel().get().value)
            }
            guard ended != nil, connection.isOpen else {
                return connection.abort(.closedHere)
            }
            let link = Link(connection, channels)
            for channel in channels {
                channel.onLoss = { [weak connection] failure in connection?.abort(failure) }
            }
            self.link = link
            try await link.out.confirmPublications().get()
            _ = try await link.out
                .declareQueue(
                    Layout.presence(of: identity.instance),
                    .exclusive
                )
                .get()
            try await Layout.declareShared(on: link.out).get()
            for route in routes { try await Layout.declareRoute(route, on: link.out).get() }
            try await readCancels(link, generation)
            guard self.generation == generation, self.link === link else { return }
            link.isReady = true
            hasBeenConnected = true
            backoff.succeeded()
            carryOut(ledger.connected())
            flushNotes()
            if ledger.isDraining {
                trying = nil
                return endIfIdle()
            }
            try await consume(link, generation)
            if self.generation == generation { trying = nil }
        } catch {
            failed(error, address, opened, generation)
        }
    }

    /// Cuts a connection off whose broker does not answer, though its heart beats.
    private func giveUpTry(_ generation: Int) {
        guard self.generation == generation else { return }
        trying?.abort(.unanswered)
    }

    private func failed(
        _ error: any Error,
        _ address: BrokerAddress,
        _ connection: Connection?,
        _ generation: Int
    ) {
        // The connection's end may have been noticed already.
        guard self.generation == generation, ended != nil else { return }
        self.generation += 1
        connection?.onEnd = nil
        connection?.abort(.closedHere)
        if link != nil { ledger.connectionLost() }
        link = nil
        let reason = BrokerNodes.reason(of: error)
        if !hasBeenConnected {
            if (error as? ConnectionFailure)?.isRefusal == true {
                return end(throwing: BrokerRefused(broker: address.description, reason: reason))
            }
            if start.duration(to: .now) > WorkerLoop.openingPatience {
                let brokers = nodes.description
                return end(throwing: BrokerUnreachable(brokers: brokers, reason: reason))
            }
        }
        if ledger.isDraining, ledger.isIdle { return end() }
        reconnect()
    }

    private func reconnect() {
        after(backoff.failed(random: Double.random(in: 0...1))) { loop in
            Task { await loop.connect() }
        }
    }

    private func connectionEnded(
        _ failure: ConnectionFailure,
        _ address: BrokerAddress,
        _ generation: Int
    ) {
        guard self.generation == generation else { return }
        self.generation += 1
        link = nil
        controlRead?.fail(ConnectionFailure.transportLost)
        controlRead = nil
        ledger.connectionLost()
        if !hasBeenConnected, failure.isRefusal {
            let reason = failure.description
            return end(throwing: BrokerRefused(broker: address.description, reason: reason))
        }
        if ledger.isDraining, ledger.isIdle { return end() }
        reconnect()
    }

    // MARK: Cancels

    /// Reads the cancels up to now: tasks come only after.
    private func readCancels(_ link: Link, _ generation: Int) async throws {
        let read = eventLoop.makePromise(of: Void.self)
        controlRead = read
        let offset: FieldValue = controlOffset.map { .int64(Int64($0)) } ?? .string("first")
        let consuming = link.control.consume(
            Layout.control,
            prefetch: WorkerLoop.controlPrefetch,
            arguments: ["x-stream-offset": offset]
        ) { [weak self] message in
            self?.assumeIsolated { $0.receivedControl(message, generation) }
        }
        do {
            _ = try await consuming.get()
        } catch {
            read.fail(error)
            throw error
        }
        let marker = Envelope.mark(.life, "\(identity.instance).\(generation)")
        link.streams.write(to: Layout.control, marker, ByteBuffer())
        try await read.futureResult.get()
    }

    private func receivedControl(_ message: Message, _ generation: Int) {
        guard self.generation == generation, let link else { return }
        if let offset = message.header("x-stream-offset")?.integer { controlOffset = offset + 1 }
        // At once: what is not acknowledged for long makes the broker close the channel.
        link.control.acknowledge(message.deliveryTag, multiple: true)
        let id = message.properties.correlationID ?? ""
        switch message.properties.type {
        case Envelope.Kind.life.rawValue where id == "\(identity.instance).\(generation)":
            controlRead?.succeed()
            controlRead = nil
        case Envelope.Kind.cancel.rawValue:
            let ids = Envelope.cancelled(in: message)
            carryOut(ledger.cancelsRead(ids))
            guard link.isReady, let job = message.properties.appID else { return }
            // What has begun or ended is said before that the cancel was seen.
            flushNotes()
            sendOutcomes()
            write(.seen, id, to: job, Envelope.body(ofNames: routes))
        case Envelope.Kind.removed.rawValue:
            carryOut(ledger.livesRemoved(Envelope.names(in: message) ?? []))
        default: break
        }
    }

    // MARK: Consuming

    private func consume(_ link: Link, _ generation: Int) async throws {
        for route in routes {
            for isSuspect in [false, true] {
                let channel = isSuspect ? link.suspects : link.tasks
                let queue = isSuspect ? Layout.suspects(route) : Layout.tasks(route)
                let prefetch = isSuspect ? 1 : prefetch
                let consuming = channel.consume(queue, prefetch: prefetch) { [weak self] message in
                    self?
                        .assumeIsolated { loop in
                            guard loop.generation == generation else { return }
                            loop.received(message, isSuspect: isSuspect)
                        }
                }
                let tag = try await consuming.get()
                link.consumers.append((channel, tag))
                if ledger.isDraining { stopConsuming() }
            }
        }
        for channel in [link.tasks, link.suspects] {
            // A queue that was deleted is declared and consumed anew.
            channel.onConsumerCancelled = { [weak connection = link.connection] _ in
                connection?.abort(.transportLost)
            }
        }
    }

    func stopConsuming() {
        guard let link else { return }
        for (channel, tag) in link.consumers { _ = channel.cancelConsumer(tag) }
        link.consumers = []
    }
}
