import AMQP
import NIOCore

/// Reads outcomes again of which only the position in the job's stream was kept.
extension SessionLoop {
    /// How many messages the broker sends before the first one is acknowledged.
    private static let readingPrefetch = 16
    /// How long requests are collected before a reading begins.
    private static let gatheringTime = Duration.milliseconds(3)

    func readAgain(_ name: TaskName, at offset: Int) {
        if reading.want(name, at: offset) { readOutcomesSoon() }
    }

    func readOutcomesSoon() {
        guard !isReadingDue else { return }
        isReadingDue = true
        after(Self.gatheringTime) { loop in
            loop.isReadingDue = false
            loop.readOutcomes()
        }
    }

    private func readOutcomes() {
        guard let link, link.isReady, let first = reading.begin() else { return }
        let generation = generation
        readingCount += 1
        link.connection.openChannel()
            .whenComplete { result in
                self.assumeIsolated { loop in
                    guard loop.generation == generation, case .success(let channel) = result else {
                        return
                    }
                    loop.readOutcomes(from: first, on: channel.value, generation)
                }
            }
    }

    private func readOutcomes(from first: Int, on channel: AMQP.Channel, _ generation: Int) {
        let number = readingCount
        channel.onLoss = { [weak connection = link?.connection] in connection?.abort($0) }
        let place = NIOLoopBound(channel, eventLoop: eventLoop)
        let consuming = channel.consume(
            Layout.stream(of: job),
            prefetch: Self.readingPrefetch,
            arguments: ["x-stream-offset": .int64(Int64(first))]
        ) { [weak self] message in
            self?
                .assumeIsolated { loop in
                    // Messages of a completed reading may still arrive and are ignored.
                    guard loop.generation == generation, loop.readingCount == number else { return }
                    loop.readOutcome(message, on: place)
                }
        }
        consuming.whenComplete { _ in }
    }

    private func readOutcome(_ message: Message, on channel: NIOLoopBound<AMQP.Channel>) {
        guard let offset = Intake.offset(of: message) else { return }
        let step = reading.read(offset)
        if !step.due.isEmpty {
            // The record was readable earlier. If it is not now, the message is a different one.
            let records = (try? Intake.records(in: message, of: job)) ?? []
            for name in step.due {
                let found = records.first { record, _ in
                    if case .ended(let task, _) = record { return ledger.isAwaited(name, task.id) }
                    return false
                }
                carryOut(ledger.readAgain(name, found?.0))
            }
        }
        for name in step.gone { carryOut(ledger.readAgain(name, nil)) }
        if step.isOver {
            readingCount += 1
            _ = channel.value.close()
            readOutcomesSoon()
        } else {
            acknowledge(message.deliveryTag, on: channel, afterTelling: !step.due.isEmpty)
        }
    }

    /// Lets the broker send more.
    ///
    /// This waits until outcomes were reported, so that they do not pile up.
    private func acknowledge(
        _ tag: UInt64,
        on channel: NIOLoopBound<AMQP.Channel>,
        afterTelling: Bool
    ) {
        guard afterTelling else { return channel.value.acknowledge(tag) }
        tell { [self] in
            onLoop { _ in channel.value.acknowledge(tag) }
        }
    }
}

extension JobRecord<ByteBuffer> {
    /// Copies the bytes of an outcome, so that the record retains no larger buffer.
    var alone: JobRecord {
        func copy(_ body: ByteBuffer) -> ByteBuffer { ByteBuffer(bytes: body.readableBytesView) }
        guard case .ended(let task, let outcome) = self else { return self }
        switch outcome {
        case .done(let body) where body.readableBytes <= 65_536:
            return .ended(task, .done(copy(body)))
        case .failed(let body) where body.readableBytes <= 65_536:
            return .ended(task, .failed(copy(body)))
        default: return self
        }
    }
}
