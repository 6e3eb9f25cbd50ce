import AMQP
import NIOCore

extension SessionLoop {
    /// The highest number of cancellations in one message.
    private static let cancelsPerRound = 5_000
    /// The time after which a round is sent again if a worker has not reported it.
    private static let repeatTime = Duration.seconds(1)
    /// How long reports are collected before consumers are counted.
    private static let collectingTime = Duration.milliseconds(2)
    /// How long a worker may need to reconnect after the broker has come back.
    private static let returnTime = Duration.seconds(15)

    /// Sends the waiting cancellations in few messages.
    func sendCancels() {
        guard let link, link.isReady else { return }
        let generation = generation
        while let round = ledger.takeCancelRound(SessionLoop.cancelsPerRound) {
            send(round.id, round.publications, on: link) { [weak self] outcome in
                guard outcome == .confirmed else { return }
                self?
                    .assumeIsolated { loop in
                        guard loop.generation == generation else { return }
                        loop.ledger.cancelRoundConfirmed(round.id)
                        loop.askForWorkers()
                    }
            }
        }
    }

    private func send(
        _ id: String,
        _ publications: [PublicationID],
        on link: Link,
        answer: @escaping (PublishOutcome) -> Void
    ) {
        link.streams.write(
            to: Layout.control,
            Envelope.mark(.cancel, id, job: job),
            Envelope.body(of: publications),
            answer: answer
        )
    }

    /// Repeats the rounds that some workers have not reported.
    private func repeatCancels() {
        guard let link, link.isReady else { return }
        for round in ledger.roundsToRepeat { send(round.id, round.publications, on: link) { _ in } }
    }

    /// Checks the workers and consumers for cancelled tasks until all of these tasks have ended.
    private func askForWorkers() {
        guard !isAsking else { return }
        isAsking = true
        let generation = generation
        Task {
            var repeating = ContinuousClock.now + Self.repeatTime
            while self.generation == generation, !self.ledger.cancels.isIdle {
                await self.askOnce(generation)
                try? await Task.sleep(for: .milliseconds(300))
                guard self.generation == generation, ContinuousClock.now > repeating else {
                    continue
                }
                repeating = ContinuousClock.now + Self.repeatTime
                self.repeatCancels()
            }
            self.isAsking = false
            if self.link?.isReady == true, !self.ledger.cancels.isIdle { self.askForWorkers() }
        }
    }

    /// Counts consumers again shortly, because a worker has reported a round.
    func countSoon() {
        guard !isCountDue else { return }
        isCountDue = true
        after(Self.collectingTime) { loop in
            loop.isCountDue = false
            let generation = loop.generation
            Task { await loop.countConsumers(generation) }
        }
    }

    /// Compares the consumers of all routes with those of the workers that have read the
    /// cancellations.
    ///
    /// The workers are checked after the count. If a worker has died, its consumers are missing
    /// from the count, so its report must not count either.
    private func countConsumers(_ generation: Int) async {
        guard self.generation == generation, link != nil else { return }
        let census = ledger.cancels.censusBegan()
        var consumers: [Name: Int] = [:]
        for route in ledger.routesToCount {
            let state = await ask(Layout.tasks(route, of: job))
            guard self.generation == generation else { return }
            switch state {
            case .success(let state): consumers[route] = state.consumerCount
            case .failure(let failure) where failure.isMissing: consumers[route] = 0
            case .failure: return
            }
        }
        var gone: Set<Name> = []
        for worker in census.workers {
            let state = await ask(Layout.presence(of: worker))
            guard self.generation == generation else { return }
            if case .failure(let failure) = state, failure.isMissing { gone.insert(worker) }
        }
        carryOut(ledger.censusEnded(census, consumers: consumers, gone: gone))
    }

    private func askOnce(_ generation: Int) async {
        await countConsumers(generation)
        // After a restart of the broker, workers need time to reconnect.
        guard self.generation == generation, let link,
            generation == firstGeneration || now - link.openedAt > Self.returnTime
        else { return }
        for worker in ledger.workersToAsk {
            let state = await ask(Layout.presence(of: worker.instance))
            guard self.generation == generation else { return }
            if case .failure(let failure) = state, failure.isMissing {
                carryOut(ledger.workerGone(worker))
            }
        }
    }

    /// Queries a queue on a separate channel, which an error answer closes.
    ///
    /// A broker with an alarm answers nothing on a connection that publishes until the alarm ends.
    /// Therefore, each query has a timeout.
    func ask(
        _ queue: String,
        within limit: Duration = Layout.longestAnswer
    ) async -> Result<QueueState, ConnectionError> {
        guard let link else { return .failure(.transportLost) }
        // The channel is closed even if its answer comes too late.
        let state = link.connection.openChannel()
            .flatMap { channel in
                channel.value.declareQueue(queue, .passive)
                    .flatMap { state in channel.value.close().map { state } }
            }
        do {
            return .success(try await answer(state, within: limit))
        } catch {
            return .failure(error as? ConnectionError ?? .transportLost)
        }
    }

    /// Waits for an answer of the broker.
    ///
    /// - Throws: The error of the request, or ``ConnectionError/unanswered`` after the timeout.
    func answer<Value: Sendable>(
        _ request: EventLoopFuture<Value>,
        within limit: Duration = Layout.longestAnswer
    ) async throws -> Value {
        let answered = eventLoop.makePromise(of: Value.self)
        let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) {
            answered.fail(ConnectionError.unanswered)
        }
        request.cascade(to: answered)
        defer { timeout.cancel() }
        return try await answered.futureResult.get()
    }
}
