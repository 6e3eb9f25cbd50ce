import AMQP
import NIOCore

extension WorkerLoop {
    /// A task that has ended, with its outcome.
    struct Outcome {
        let task: Envelope.TaskMessage
        let end: RegisteredWork.End
        let attempt: Int
    }

    /// Sends the outcome of a task, together with others if that costs no time.
    func publish(_ id: PublicationID) {
        guard let link, link.isReady, let outcome = outcomes[id] else { return }
        // The key is part of the properties, which must fit into one frame.
        let bytes = outcome.end.body.readableBytes + outcome.task.key.utf8.count
        switch link.outcomes.added(id, bytes: bytes) {
        case .wait: break
        case .send: sendOutcomes()
        case .sendSoon: onLoop { $0.sendOutcomes() }
        case .sendLater(let batch):
            after(OutcomeBatches.longestWait) { loop in
                // A new connection starts with new batches.
                guard loop.link?.outcomes.isWaiting(batch) == true else { return }
                loop.sendOutcomes()
            }
        }
    }

    /// Sends all collected outcomes, those of one job in one message.
    func sendOutcomes() {
        guard let link, link.isReady else { return }
        let ids = link.outcomes.take().filter { outcomes[$0] != nil }
        for (job, ids) in Dictionary(grouping: ids, by: { outcomes[$0]?.task.job ?? "" }) {
            send(ids, of: job, on: link)
        }
    }

    private func send(_ ids: [PublicationID], of job: Name, on link: Link) {
        let parts = ids.compactMap { outcomes[$0] }
            .map { outcome in
                let properties = Envelope.outcome(
                    outcome.end.kind,
                    of: outcome.task,
                    worker: identity,
                    attempt: outcome.attempt
                )
                return (properties, outcome.end.body)
            }
        let (properties, body) = Envelope.message(of: parts)
        let generation = generation
        link.outcomes.sent()
        link.streams.write(to: Layout.stream(of: job), properties, body) { [weak self] answer in
            self?
                .assumeIsolated { loop in
                    guard loop.generation == generation else { return }
                    loop.answered(ids, answer)
                }
        }
    }

    /// Writes into the job's stream that a task is abandoned as undeliverable, then acknowledges
    /// it.
    ///
    /// The broker's dead letters would not be reliable. RabbitMQ 3.10.8 writes them for many
    /// streams with one writer, which may write nothing more into a stream with a new leader.
    func giveUp(_ tag: Ledger.Tag, _ task: Envelope.TaskMessage) {
        let generation = generation
        let properties = Envelope.givenUp(task)
        link?.streams
            .write(to: Layout.stream(of: task.job), properties, ByteBuffer()) {
                [weak self] answer in
                self?
                    .assumeIsolated { loop in
                        guard loop.generation == generation else { return }
                        switch answer {
                        case .confirmed, .unroutable: loop.link?.acknowledge(tag)
                        case .refused:
                            loop.after(.seconds(1)) { loop in
                                guard loop.generation == generation else { return }
                                loop.giveUp(tag, task)
                            }
                        case .lost: return
                        }
                    }
            }
    }

    private func answered(_ ids: [PublicationID], _ answer: PublishOutcome) {
        switch answer {
        case .confirmed, .unroutable:
            // If the stream does not exist, its job was removed and needs no outcome.
            for id in ids {
                outcomes[id] = nil
                carryOut(ledger.outcomeConfirmed(id))
            }
        case .refused:
            let generation = generation
            after(.seconds(1)) { loop in
                guard loop.generation == generation else { return }
                for id in ids { loop.publish(id) }
            }
        case .lost: return
        }
        if link?.outcomes.answered() == true { sendOutcomes() }
        endIfIdle()
    }
}

extension RegisteredWork.End {
    fileprivate var kind: Envelope.Kind {
        switch self {
        case .done: .done
        case .failed: .failed
        case .stopped: .stopped
        }
    }

    fileprivate var body: ByteBuffer {
        switch self {
        case .done(let body), .failed(let body): body
        case .stopped: ByteBuffer()
        }
    }
}
