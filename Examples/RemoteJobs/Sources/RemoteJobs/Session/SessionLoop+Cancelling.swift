import AMQP
import NIOCore

extension SessionLoop {
    /// How many cancels go in a message.
    private static let cancelsPerRound = 5_000
    /// After which time a cancel that not all workers saw is sent again.
    private static let repeatTime = Duration.seconds(3)
    /// How long a worker may need to come back after a broker has.
    private static let returnTime = Duration.seconds(15)

    /// Sends the cancels that wait, many in a message.
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

    /// Sends again the cancels that not all workers have said they saw.
    private func repeatCancels() {
        guard let link, link.isReady else { return }
        for round in ledger.roundsToRepeat { send(round.id, round.publications, on: link) { _ in } }
    }

    /// Asks how many consumers the routes of cancelled tasks have, and whether their workers are
    /// there; asks again until all cancelled tasks have ended.
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

    private func askOnce(_ generation: Int) async {
        for route in ledger.routesToCount {
            let state = await ask(Layout.tasks(route, of: job))
            guard self.generation == generation else { return }
            switch state {
            case .success(let state):
                carryOut(ledger.consumersCounted(route, state.consumerCount))
            case .failure(let failure) where failure.isMissing:
                carryOut(ledger.consumersCounted(route, 0))
            case .failure: return
            }
        }
        // After a broker's restart, workers need a while to be seen again.
        guard let link, generation == firstGeneration || now - link.openedAt > Self.returnTime
        else { return }
        for worker in ledger.workersToAsk {
            let state = await ask(Layout.presence(of: worker.instance))
            guard self.generation == generation else { return }
            if case .failure(let failure) = state, failure.isMissing {
                carryOut(ledger.workerGone(worker))
            }
        }
    }

    /// Asks for a queue on a channel of its own, which a wrong answer closes.
    func ask(_ queue: String) async -> Result<QueueState, ConnectionFailure> {
        guard let link else { return .failure(.transportLost) }
        do {
            let channel = try await link.connection.openChannel().get().value
            let state = try await channel.declareQueue(queue, .passive).get()
            try await channel.close().get()
            return .success(state)
        } catch {
            return .failure(error as? ConnectionFailure ?? .transportLost)
        }
    }
}
