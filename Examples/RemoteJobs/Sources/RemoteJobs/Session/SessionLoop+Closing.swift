import AMQP
import NIOCore

extension SessionLoop {
    /// How long workers may take to leave a queue.
    ///
    /// A worker that takes longer is suspended, and leaves the queue as soon as it continues.
    private static let leavingTime = Duration.seconds(3)
    /// How long workers may take to remove the remaining messages of a removed job.
    private static let leftoverTime = Duration.seconds(10)
    /// How many messages are taken at a time.
    private static let takenAtATime = 2_000

    /// The longest time for removing a job, unless the session's patience is shorter.
    private static let removingTime = Duration.seconds(30)

    /// Ends the session, and removes the job if requested.
    ///
    /// - Throws: ``JobNotRemovedError``. The session has ended in this case too.
    func close(removingJob: Bool = false) async throws {
        var failure: JobNotRemovedError?
        if removingJob {
            do {
                try await remove()
                isRemoved = true
            } catch {
                failure = error
            }
        } else {
            await leaveQueues()
        }
        await disconnect()
        perform(machine.closeRequested())
        if let failure { throw failure }
    }

    private func disconnect() async {
        guard let connection = link?.connection else { return }
        let ended = eventLoop.makePromise(of: Void.self)
        generation += 1
        link = nil
        connection.onEnd = { _ in ended.succeed() }
        connection.close()
        eventLoop.scheduleTask(in: .seconds(3)) { ended.succeed() }
        try? await ended.futureResult.get()
        connection.abort(.closedHere)
    }

    /// Deletes the job's task queues if they are no longer needed, so that no worker uses them.
    ///
    /// It stops at the first request that the broker does not answer, because a remaining queue
    /// costs little.
    private func leaveQueues() async {
        guard let link, link.isReady, !link.isBlocked, ledger.hasNothingOut else { return }
        sayQueues([])
        for route in ledger.routes.sorted() {
            let queue = Layout.tasks(route, of: job)
            guard await waitUntilLeft(queue), let link = self.link, !link.isBlocked else { return }
            do {
                try await answer(link.out.deleteQueue(queue), within: Self.leavingTime)
            } catch {
                return
            }
        }
    }

    /// Waits until no worker consumes a queue that will be deleted.
    ///
    /// If a consumer stays until its queue is deleted, it may receive nothing from a later queue of
    /// that name.
    ///
    /// - Returns: Whether the broker has answered.
    @discardableResult
    private func waitUntilLeft(_ queue: String) async -> Bool {
        let deadline = now + Self.leavingTime
        while now < deadline {
            switch await ask(queue, within: max(.milliseconds(100), deadline - now)) {
            case .success(let state) where state.consumerCount == 0: return true
            case .success: try? await Task.sleep(for: .milliseconds(5))
            case .failure(let failure): return failure.isMissing
            }
        }
        return true
    }

    /// Removes the job, over a new connection if necessary, and retries until it is done.
    private func remove() async throws(JobNotRemovedError) {
        if isRemoved { return }
        if let ending { throw JobNotRemovedError(job: job.text, reason: "\(ending)") }
        guard machine.state != .idle else {
            throw JobNotRemovedError(job: job.text, reason: "its session was not opened")
        }
        let end = now + min(Self.removingTime, options.patience)
        after(end - now) { loop in
            // If the broker does not answer, the end of the connection completes all open requests.
            guard loop.ending == nil, !loop.isRemoved else { return }
            loop.link?.connection.abort(.unanswered)
        }
        var reason = "the broker is lost: \(lastReason)"
        while now < end, ending == nil {
            if let link, link.isReady, !link.isBlocked {
                do {
                    return try await remove(on: link)
                } catch {
                    reason = BrokerNodes.reason(of: error)
                }
            } else if let words = waits.words[.room] ?? waits.words[.broker] {
                reason = words
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        throw JobNotRemovedError(job: job.text, reason: ending.map { "\($0)" } ?? reason)
    }

    private func remove(on link: Link) async throws {
        try await tellRemoval(on: link)
        for route in ledger.routes.sorted() {
            let queue = Layout.tasks(route, of: job)
            await waitUntilLeft(queue)
            try await link.out.deleteQueue(queue).get()
            await clear(Layout.suspects(route), of: Layout.suspects, from: route)
        }
        try await link.out.deleteQueue(Layout.stream(of: job)).get()
        for queue in ledger.routes.map({ Layout.tasks($0, of: job) }) + [Layout.stream(of: job)] {
            switch await ask(queue) {
            case .failure(let failure) where failure.isMissing: continue
            case .failure(let failure): throw failure
            case .success: throw ConnectionError.unanswered
            }
        }
        try await link.out.deleteQueue(Layout.lock(of: job)).get()
    }

    /// Announces to all present and future workers that the job's publications are obsolete.
    ///
    /// A message that a worker holds cannot be removed here, and returns to its queue if that
    /// worker dies.
    private func tellRemoval(on link: Link) async throws {
        let answered = eventLoop.makePromise(of: PublishOutcome.self)
        link.streams.write(
            to: Layout.control,
            Envelope.mark(.removed, life, job: job),
            Envelope.body(ofNames: ledger.lives.sorted())
        ) { answered.succeed($0) }
        let outcome = try await answered.futureResult.get()
        guard outcome == .confirmed else { throw ConnectionError.unconfirmed }
    }

    /// Waits until workers have taken a route's messages.
    ///
    /// Without workers, it takes the job's own.
    ///
    /// - Parameters:
    ///   - queue: The route's queue.
    ///   - exchange: The exchange from which its messages come.
    ///   - route: The route.
    private func clear(_ queue: String, of exchange: String, from route: Name) async {
        let deadline = now + Self.leftoverTime
        while now < deadline,
            case .success(let state) = await ask(
                queue,
                within: max(.milliseconds(100), deadline - now)
            ),
            state.messageCount > 0
        {
            guard state.consumerCount == 0 else {
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            var left = state.messageCount
            while left > 0 {
                let count = await takeOwn(
                    queue,
                    of: exchange,
                    from: route,
                    most: min(left, Self.takenAtATime)
                )
                guard count > 0 else { return }
                left -= count
            }
            return
        }
    }

    /// Takes messages of a queue without consumers, drops those of this job and returns the others.
    ///
    /// - Returns: The number of inspected messages.
    private func takeOwn(
        _ queue: String,
        of exchange: String,
        from route: Name,
        most: Int
    ) async -> Int {
        guard let link else { return 0 }
        do {
            let channel = try await link.connection.openChannel().get()
            let allTaken = eventLoop.makePromise(of: [Message].self)
            let consuming = consume(queue, on: channel.value, most: most, allTaken)
            let tag = try await consuming.get()
            let taken = try await allTaken.futureResult.get()
            try await channel.value.cancelConsumer(tag).get()
            try await settle(taken, of: exchange, from: route, on: channel.value).get()
            try await channel.value.close().get()
            return taken.count
        } catch {
            // The connection is lost, so the remaining messages stay.
            return 0
        }
    }

    /// Takes the given number of messages, or those of five seconds, without acknowledging them.
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
        from route: Name,
        on channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        var answers: [EventLoopFuture<Void>] = []
        for message in taken {
            if message.properties.appID.map({ Name($0) }) == job {
                channel.acknowledge(message.deliveryTag)
            } else {
                answers.append(putBack(message, of: route, to: exchange, from: channel))
            }
        }
        return EventLoopFuture<Void>.andAllSucceed(answers, on: eventLoop)
    }

    /// Publishes another job's message again.
    ///
    /// If it were returned, it would count as one that killed a worker.
    private func putBack(
        _ message: Message,
        of route: Name,
        to exchange: String,
        from channel: AMQP.Channel
    ) -> EventLoopFuture<Void> {
        guard let link, let task = try? Intake.task(in: message, from: route) else {
            // A worker will refuse it.
            channel.reject(message.deliveryTag, requeue: true)
            return eventLoop.makeSucceededVoidFuture()
        }
        let answered = eventLoop.makePromise(of: Void.self)
        link.out.publish(
            to: exchange,
            key: task.routingKey,
            Envelope.propertiesToPutBack(task),
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
