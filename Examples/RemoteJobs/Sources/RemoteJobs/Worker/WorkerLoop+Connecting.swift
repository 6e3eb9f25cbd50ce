import AMQP
import NIOCore

extension WorkerLoop {
    private static let controlPrefetch = 1_000

    /// Connects to the next node, reads the cancellations, and then takes tasks.
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
            for _ in 0..<3 {
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
            connection.onBlocked = { [weak self] reason in
                self?
                    .assumeIsolated { loop in
                        guard loop.generation == generation else { return }
                        loop.waitForRoom(reason)
                    }
            }
            link.suspects.onLoss = { [weak self] failure in
                self?
                    .assumeIsolated { loop in
                        guard loop.generation == generation else { return }
                        loop.suspectsLost(failure)
                    }
            }
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
            if !hasBeenConnected { sayHowLongTasksMayRun(address) }
            hasBeenConnected = true
            stopWaiting()
            failures = 0
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

    private func sayHowLongTasksMayRun(_ address: BrokerAddress) {
        let words = ConsumerTimeout.words(longestTask, at: address.description)
        logger.log(level: ConsumerTimeout.isWarning(longestTask) ? .warning : .info, "\(words)")
    }

    /// Aborts a connection attempt if the broker sends heartbeats but no answers.
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
        // The end of the connection may have been handled already.
        guard self.generation == generation, ended != nil else { return }
        self.generation += 1
        connection?.onEnd = nil
        connection?.abort(.closedHere)
        if link != nil { ledger.connectionLost() }
        link = nil
        let reason = BrokerNodes.reason(of: error)
        waitForBroker(reason)
        if !hasBeenConnected {
            if (error as? ConnectionError)?.isRefusal == true {
                return end(
                    throwing: BrokerRefusedError(broker: address.description, reason: reason)
                )
            }
            if let openingPatience, start.duration(to: .now) > openingPatience {
                let brokers = nodes.description
                return end(throwing: BrokerUnreachableError(brokers: brokers, reason: reason))
            }
        }
        if ledger.isDraining, ledger.isIdle { return end() }
        reconnect()
    }

    private func reconnect() {
        failures += 1
        after(Backoff.wait(afterFailures: failures, of: ConnectionError.transportLost)) { loop in
            Task { await loop.connect() }
        }
    }

    private func connectionEnded(
        _ failure: ConnectionError,
        _ address: BrokerAddress,
        _ generation: Int
    ) {
        guard self.generation == generation else { return }
        self.generation += 1
        link = nil
        waitForBroker(failure.description)
        controlRead?.fail(ConnectionError.transportLost)
        controlRead = nil
        ledger.connectionLost()
        if !hasBeenConnected, failure.isRefusal {
            let reason = failure.description
            return end(throwing: BrokerRefusedError(broker: address.description, reason: reason))
        }
        if ledger.isDraining, ledger.isIdle { return end() }
        reconnect()
    }

    // MARK: Cancels

    /// Reads all cancellations so far, before the worker takes tasks.
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
        if let offset = Intake.offset(of: message) { controlOffset = offset + 1 }
        // Acknowledged at once, because the broker closes the channel if a message stays
        // unacknowledged for long.
        link.control.acknowledge(message.deliveryTag, multiple: true)
        do {
            switch try Intake.order(in: message) {
            case .mark("\(identity.instance).\(generation)"):
                controlRead?.succeed()
                controlRead = nil
            case .mark: break
            case .cancel(let round, let job, let ids):
                carryOut(ledger.cancelsRead(ids))
                if link.isReady { answer(round, of: job, on: link) }
            case .removed(let job, let lives):
                carryOut(ledger.livesRemoved(lives))
                jobRemoved(job)
            case .tasks(let job, let routes): jobAnnounced(job, routes)
            }
        } catch {
            // Messages from before this worker's start were copied by other workers.
            guard link.isReady, refusals.copiesAnother() else { return }
            refuse(message, from: Layout.control, error.reason) { _ in }
        }
    }

    // MARK: Consuming

    private func consume(_ link: Link, _ generation: Int) async throws {
        for route in routes {
            let queue = Layout.suspects(route)
            let consuming = link.suspects.consume(queue, prefetch: 1) { [weak self] message in
                self?
                    .assumeIsolated { loop in
                        guard loop.generation == generation else { return }
                        loop.received(message, from: route, source: 0)
                    }
            }
            link.suspectsTags.append(try await consuming.get())
            if ledger.isDraining { stopConsuming() }
        }
        link.suspects.onConsumerCancelled = { [weak connection = link.connection] _ in
            // A new connection declares and consumes the deleted queue again.
            connection?.abort(.transportLost)
        }
        guard self.generation == generation, self.link === link else { return }
        consumeJobs(on: link)
    }

    private func suspectsLost(_ failure: ConnectionError) {
        if failure.isTimeout { sayOverdue(ledger.sourceLost(0), failure) }
        link?.connection.abort(failure)
    }
}
