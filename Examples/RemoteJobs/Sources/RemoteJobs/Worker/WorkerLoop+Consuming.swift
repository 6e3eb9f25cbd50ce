import AMQP
import NIOCore

/// Selects the queues from which a worker takes tasks, and the number of tasks that it holds.
extension WorkerLoop {
    /// The highest number of jobs with remembered queues.
    private static let mostJobs = 20_000
    /// The highest number of queues that are requested at a time.
    private static let mostAsked = 16
    /// How long after its latest task a queue counts as active.
    private static let activeTime = Duration.seconds(1)
    /// How long reported consumers are kept, so that a controller can find them at the broker.
    private static let reportTime = Duration.seconds(15)
    /// The wait before a queue is requested again after its channel was closed.
    private static let pause = Duration.seconds(1)

    /// Handles the announcement of all routes for which a job has queues.
    func jobAnnounced(_ job: Name, _ announced: [Name]) {
        guard !announced.isEmpty else { return jobLeft(job) }
        let served = Set(announced).intersection(routes)
        guard !served.isEmpty else {
            jobs[job] = nil
            return
        }
        if jobs[job] == nil {
            guard jobs.count < Self.mostJobs else { return }
            // The job's stream may be newer than the channel that writes into the stream of this
            // name.
            link?.streams.leave(Layout.stream(of: job))
        }
        jobs[job] = served
        guard let link, link.isReady else { return }
        for route in served { ask(for: Link.Queue(job: job, route: route), on: link) }
        askNext(on: link)
    }

    /// Handles the removal of a job, before its stream is deleted.
    func jobRemoved(_ job: Name) {
        jobLeft(job)
        link?.streams.leave(Layout.stream(of: job))
    }

    /// Stops consuming the queues of a job, because they will be deleted.
    ///
    /// If a consumer remains at the end of its queue, the broker moves it to a queue that was
    /// declared again in the meantime. RabbitMQ 3.10.8 then loses the link between its messages and
    /// this consumer.
    private func jobLeft(_ job: Name) {
        jobs[job] = nil
        guard let link else { return }
        for source in link.sources.values where source.job == job { leave(source, of: link) }
    }

    private func leave(_ source: Source, of link: Link) {
        source.isLeft = true
        let queue = Link.Queue(job: source.job, route: source.route)
        if link.queues[queue] == source.number { link.queues[queue] = nil }
        let tags = source.tags.map(\.tag)
        source.tags = []
        for tag in tags { cancelLeft(tag, of: source) }
    }

    private func cancelLeft(_ tag: String, of source: Source) {
        let (generation, number) = (generation, source.number)
        source.requestCount += 1
        source.channel.cancelConsumer(tag)
            .whenSuccess {
                self.assumeIsolated { loop in
                    guard loop.generation == generation, let link = loop.link else { return }
                    guard let source = link.sources[number] else { return }
                    source.requestCount -= 1
                    link.closeIfSettled(source)
                }
            }
    }

    /// Consumes the queues of all known jobs.
    func consumeJobs(on link: Link) {
        for (job, routes) in jobs {
            for route in routes { ask(for: Link.Queue(job: job, route: route), on: link) }
        }
        askNext(on: link)
    }

    private func ask(for queue: Link.Queue, on link: Link) {
        guard link.queues[queue] == nil else { return }
        link.queues[queue] = 0
        link.toAsk.append(queue)
    }

    private func askNext(on link: Link) {
        while link.askedCount < Self.mostAsked, let queue = link.toAsk.popFirst() {
            guard !ledger.isDraining, jobs[queue.job]?.contains(queue.route) == true else {
                link.queues[queue] = nil
                continue
            }
            link.askedCount += 1
            let generation = generation
            link.connection.openChannel()
                .whenComplete { result in
                    self.assumeIsolated { loop in
                        guard loop.generation == generation, let link = loop.link else { return }
                        guard case .success(let channel) = result else {
                            return loop.asked(queue, nil, on: link)
                        }
                        loop.consume(queue, on: channel.value, of: link)
                    }
                }
        }
    }

    private func consume(_ queue: Link.Queue, on channel: AMQP.Channel, of link: Link) {
        link.lastSource += 1
        let source = Source(
            link.lastSource,
            job: queue.job,
            route: queue.route,
            channel: channel,
            prefetch: plan.held(ofEachOf: activeSources(of: link) + 1)
        )
        link.sources[source.number] = source
        let (generation, number) = (generation, source.number)
        channel.onLoss = { [weak self] failure in
            self?
                .assumeIsolated { loop in
                    guard loop.generation == generation else { return }
                    loop.lost(number, failure)
                }
        }
        channel.onConsumerCancelled = { [weak self] _ in
            self?
                .assumeIsolated { loop in
                    guard loop.generation == generation else { return }
                    loop.queueGone(number)
                }
        }
        let prefetch = source.prefetch
        begin(source, prefetch)
            .whenComplete { result in
                self.assumeIsolated { loop in
                    guard loop.generation == generation, let link = loop.link else { return }
                    guard case .success(let tag) = result else {
                        return loop.asked(queue, nil, on: link)
                    }
                    loop.began(number, tag, prefetch, on: link)
                    loop.asked(queue, number, on: link)
                }
            }
    }

    private func began(_ number: Int, _ tag: String, _ prefetch: Int, on link: Link) {
        guard let source = link.sources[number] else { return }
        source.requestCount -= 1
        if source.isLeft {
            cancelLeft(tag, of: source)
        } else {
            source.tags.append((tag, prefetch))
        }
        answerRounds(of: source.job, on: link)
    }

    private func begin(_ source: Source, _ prefetch: Int) -> EventLoopFuture<String> {
        let (generation, number, route) = (generation, source.number, source.route)
        source.requestCount += 1
        return source.channel.consume(
            Layout.tasks(source.route, of: source.job),
            prefetch: prefetch
        ) { [weak self] message in
            self?
                .assumeIsolated { loop in
                    guard loop.generation == generation, let source = loop.link?.sources[number]
                    else { return }
                    source.acknowledgements.delivered()
                    source.lastDelivery = loop.now
                    loop.received(message, from: route, source: number)
                }
        }
    }

    /// Handles the answer to the request for a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - source: The number of its consumer, or nil if the queue does not exist.
    ///   - link: The connection.
    private func asked(_ queue: Link.Queue, _ source: Int?, on link: Link) {
        link.askedCount -= 1
        if let source, link.sources[source]?.isLeft == true {
            // The consumer was left before it started. The job may have returned since then.
            link.queues[queue] = nil
            ask(for: queue, on: link)
        } else {
            link.queues[queue] = source
            if source == nil { forget(queue) }
        }
        if ledger.isDraining { stopConsuming() }
        answerRounds(of: queue.job, on: link)
        askNext(on: link)
    }

    private func forget(_ queue: Link.Queue) {
        jobs[queue.job]?.remove(queue.route)
        if jobs[queue.job]?.isEmpty == true { jobs[queue.job] = nil }
    }

    /// Removes a source after its queue was deleted.
    private func queueGone(_ number: Int) {
        guard let link, let source = link.sources.removeValue(forKey: number) else { return }
        let queue = Link.Queue(job: source.job, route: source.route)
        if link.queues[queue] == number {
            link.queues[queue] = nil
            forget(queue)
        }
        _ = ledger.sourceLost(number)
        _ = source.channel.close()
    }

    /// Removes a source after its channel was closed.
    private func lost(_ number: Int, _ failure: ConnectionError) {
        guard let link, let source = link.sources.removeValue(forKey: number) else { return }
        let queue = Link.Queue(job: source.job, route: source.route)
        let wasConsumed = link.queues[queue] == number
        if wasConsumed { link.queues[queue] = nil }
        let running = ledger.sourceLost(number)
        if failure.isTimeout { sayOverdue(running, failure) }
        if failure.isRefusal { return link.connection.abort(failure) }
        guard wasConsumed, !failure.isMissing else { return }
        let generation = generation
        after(Self.pause) { loop in
            guard loop.generation == generation, let link = loop.link else { return }
            loop.ask(for: queue, on: link)
            loop.askNext(on: link)
        }
    }

    /// Reports that the broker has disconnected the worker, because tasks exceeded the consumer
    /// timeout.
    func sayOverdue(_ tasks: [Envelope.TaskMessage], _ failure: ConnectionError) {
        guard !tasks.isEmpty else { return }
        let words = String(failure.description.prefix(200))
        logger.info(
            """
            \(tasks.count) tasks take longer than the broker's consumer_timeout, which is set in \
            rabbitmq.conf; it gives them to other workers: \(words)
            """
        )
        for (job, tasks) in Dictionary(grouping: tasks, by: \.job) {
            for note in SizeLimit.notes(tasks.map(\.record), key: \.key) {
                write(.overdue, words, to: job, Envelope.body(of: note))
            }
        }
    }

    // MARK: Cancels

    /// Reports a cancel round once all requested consumers of its job exist.
    ///
    /// The report names each route once for each consumer, because the broker counts consumers.
    func answer(_ round: String, of job: Name, on link: Link) {
        // A controller repeats a round until it is complete.
        if link.rounds[job]?.contains(round) != true {
            link.rounds[job, default: []].append(round)
        }
        answerRounds(of: job, on: link)
    }

    private func answerRounds(of job: Name, on link: Link) {
        guard let rounds = link.rounds[job] else { return }
        let own = link.queues.filter { $0.key.job == job }
        let sources = own.values.compactMap { link.sources[$0] }
        guard own.values.allSatisfy({ $0 != 0 }), sources.allSatisfy({ $0.requestCount == 0 })
        else { return }
        link.rounds[job] = nil
        for source in sources { source.lastReport = now }
        // Starts and outcomes are written before the report, so that the controller reads them
        // first.
        flushNotes()
        sendOutcomes()
        let routes = sources.flatMap { Array(repeating: $0.route, count: $0.tags.count) }.sorted()
        for round in rounds { write(.seen, round, to: job, Envelope.body(ofNames: routes)) }
    }

    // MARK: How many

    private func activeSources(of link: Link) -> Int {
        link.sources.values.count { source in
            source.acknowledgements.heldCount > 0 || now - source.lastDelivery < Self.activeTime
        }
    }

    /// Adjusts the number of held tasks if it is far from the plan.
    ///
    /// To hold more, the worker starts another consumer of the same queue. To hold fewer, it ends
    /// one. With RabbitMQ 3.10.8, messages on their way to that consumer then count as returned.
    /// Therefore, it ends a consumer only if the difference is large.
    func holdAsPlanned() {
        guard let link, link.isReady, !ledger.isDraining else { return }
        let due = plan.held(ofEachOf: activeSources(of: link), ended: outcomes.count)
        let isStarved = ledger.hasRoom && !outcomes.isEmpty
        for source in link.sources.values where !source.tags.isEmpty {
            if PrefetchPlan.isFewer(source.prefetch, than: due, isStarved: isStarved) {
                holdMore(of: source, due - source.prefetch)
            } else if 4 * due <= source.prefetch, source.tags.count > 1,
                source.lastReport.map({ now - $0 > Self.reportTime }) ?? true
            {
                let (tag, prefetch) = source.tags.removeLast()
                source.prefetch -= prefetch
                _ = source.channel.cancelConsumer(tag)
            }
        }
    }

    private func holdMore(of source: Source, _ more: Int) {
        source.prefetch += more
        let (generation, number) = (generation, source.number)
        begin(source, more)
            .whenSuccess { tag in
                self.assumeIsolated { loop in
                    guard loop.generation == generation, let link = loop.link else { return }
                    loop.began(number, tag, more, on: link)
                    if loop.ledger.isDraining { loop.stopConsuming() }
                }
            }
    }

    /// Takes no more tasks.
    func stopConsuming() {
        guard let link else { return }
        for tag in link.suspectsTags { _ = link.suspects.cancelConsumer(tag) }
        link.suspectsTags = []
        for source in link.sources.values {
            for (tag, _) in source.tags { _ = source.channel.cancelConsumer(tag) }
            source.tags = []
        }
    }

    // MARK: Waits

    func waitForBroker(_ reason: String) {
        let time = hasBeenConnected ? nil : openingPatience
        let end = time.map { "trying for \($0.components.seconds) s" } ?? "it keeps trying"
        waits.began(.broker, "no broker at \(nodes.description): \(reason); \(end)", at: now)
    }

    func waitForRoom(_ reason: String?) {
        if let reason {
            let words = "the broker at \(nodes.description) takes no messages for now: \(reason)"
            waits.began(.room, words, at: now)
        } else {
            over(.room)
        }
    }

    func stopWaiting() {
        for cause in waits.words.keys { over(cause) }
    }

    private func over(_ cause: Waits.Cause) {
        guard let (words, seconds) = waits.ended(cause, at: now) else { return }
        logger.info("\(ended == nil ? "ended" : "over") after \(seconds) s: \(words)")
    }
}
