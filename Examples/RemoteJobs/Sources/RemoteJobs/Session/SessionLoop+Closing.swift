import AMQP
import NIOCore

extension SessionLoop {
    /// How long workers may take to put away what is left of a removed job.
    private static let leftoverTime = Duration.seconds(10)
    /// How many messages are taken at a time.
    private static let takenAtATime = 2_000

    /// Ends the session, and the job too if it is to be removed.
    func close(removingJob: Bool) async {
        if removingJob, let link, link.isReady {
            await tellRemoval(on: link)
            for route in ledger.routes.sorted() {
                await clear(Layout.tasks(route), of: Layout.tasks)
                await clear(Layout.suspects(route), of: Layout.suspects)
            }
            if let link = self.link {
                try? await link.out.deleteQueue(Layout.stream(of: job)).get()
                try? await link.out.deleteQueue(Layout.lock(of: job)).get()
            }
        }
        if let connection = link?.connection {
            let ended = eventLoop.makePromise(of: Void.self)
            generation += 1
            link = nil
            connection.onEnd = { _ in ended.succeed() }
            connection.close()
            eventLoop.scheduleTask(in: .seconds(3)) { ended.succeed() }
            try? await ended.futureResult.get()
            connection.abort(.closedHere)
        }
        perform(machine.closeRequested())
    }

    /// Tells all workers, those of tomorrow too, that what this job has published is not wanted.
    ///
    /// A message that a worker holds cannot be taken here, and comes back if that worker dies.
    private func tellRemoval(on link: Link) async {
        let answered = eventLoop.makePromise(of: Void.self)
        link.streams.write(
            to: Layout.control,
            Envelope.mark(.removed, life, job: job),
            Envelope.body(ofNames: ledger.lives.sorted())
        ) { _ in answered.succeed() }
        try? await answered.futureResult.get()
    }

    /// Waits until workers have taken a route's messages; with no worker, takes the job's own.
    ///
    /// - Parameters:
    ///   - queue: The route's queue.
    ///   - exchange: The exchange that its messages come from.
    private func clear(_ queue: String, of exchange: String) async {
        let deadline = now + Self.leftoverTime
        while now < deadline, case .success(let state) = await ask(queue), state.messageCount > 0 {
            guard state.consumerCount == 0 else {
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            var left = state.messageCount
            while left > 0 {
                let count = await takeOwn(queue, of: exchange, most: min(left, Self.takenAtATime))
                guard count > 0 else { return }
                left -= count
            }
            return
        }
    }

    /// Takes messages of a queue that nobody consumes: drops this job's, puts others' back.
    ///
    /// - Returns: How many it has looked at.
    private func takeOwn(_ queue: String, of exchange: String, most: Int) async -> Int {
        guard let link else { return 0 }
        do {
            let channel = try await link.connection.openChannel().get()
            let allTaken = eventLoop.makePromise(of: [Message].self)
            let consuming = consume(queue, on: channel.value, most: most, allTaken)
            let tag = try await consuming.get()
            let taken = try await allTaken.futureResult.get()
            try await channel.value.cancelConsumer(tag).get()
            try await settle(taken, of: exchange, on: channel.value).get()
            try await channel.value.close().get()
            return taken.count
        } catch {
            // The connection has gone: what is left is left.
            return 0
        }
    }

    /// Takes so many messages, or those that come within five seconds, and answers none.
    private func consume(
        _ queue: String,
        on channel: AMQP.Channel,
        most: Int,
        _ allTaken: EventLoopPromise<[Message]>
    ) -> EventLoopFuture<String> {
        let taken = NIOLoopBoundBox<[Message]>([], eventLoop: eventLoop)
        eventLoop.scheduleTask(in: .seconds(5)) { allTaken.succeed(taken.value) }
        return channel.consume(queue, prefetch: most) { message in
            taken.value.append(message)
            if taken.value.count == most { allTaken.succeed(taken.value) }
        }
    }

    private func settle(
        _ taken: [Message],
        of exchange: String,
        on channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        var answers: [EventLoopFuture<Void>] = []
        for message in taken {
            if message.properties.appID == job {
                channel.acknowledge(message.deliveryTag)
            } else {
                answers.append(putBack(message, to: exchange, from: channel))
            }
        }
        return EventLoopFuture<Void>.andAllSucceed(answers, on: eventLoop)
    }

    /// Publishes another job's message anew: given back, it would count as one that killed a worker.
    private func putBack(
        _ message: Message,
        to exchange: String,
        from channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        guard let link else { return eventLoop.makeSucceededVoidFuture() }
        let answered = eventLoop.makePromise(of: Void.self)
        link.out.publish(
            to: exchange,
            key: message.routingKey,
            Envelope.propertiesToPutBack(message),
            message.body
        ) { outcome in
            if outcome == .confirmed {
                channel.acknowledge(message.deliveryTag)
            } else {
                channel.reject(message.deliveryTag, requeue: true)
            }
            answered.succeed()
        }
        return answered.futureResult
    }
}
