import AMQP
import NIOCore

/// Which queues a worker takes tasks from, and how many at a time.
extension WorkerLoop {
    /// How many jobs' queues are remembered at a time.
    private static let mostJobs = 20_000
    /// How many queues are asked for at a time.
    private static let mostAsked = 16
    /// How long after its last task a queue counts as one that has tasks.
    private static let activeTime = Duration.seconds(1)
    /// How long the consumers stay that a controller was told of, which compares them with the broker's.
    private static let reportTime = Duration.seconds(15)
    /// When a queue is asked for again whose channel was closed.
    private static let pause = Duration.seconds(1)

    /// A job has queues for these routes, and for no other.
    func jobAnnounced(_ job: Name, _ announced: [Name]) {
        guard !announced.isEmpty else { return jobLeft(job) }
        let served = Set(announced).intersection(routes)
        guard !served.isEmpty else {
            jobs[job] = nil
            return
        }
        if jobs[job] == nil {
            guard jobs.count < Self.mostJobs else { return }
            // Its stream may be younger than the channel that writes into one of that name.
            link?.streams.leave(Layout.stream(of: job))
        }
        jobs[job] = served
        guard let link, link.isReady else { return }
        for route in served { ask(for: Link.Queue(job: job, route: route), on: link) }
        askNext(on: link)
    }

    /// A job is no more, and its stream is about to be deleted.
    func jobRemoved(_ job: Name) {
        jobLeft(job)
        link?.streams.leave(Layout.stream(of: job))
    }

    /// The queues of a job are about to be deleted: they are consumed no more.
    ///
    /// A consumer that is left to the end of its queue is moved by the broker to one that was
    /// declared anew by then, and RabbitMQ 3.10.8 forgets whom its messages are for.
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

    /// Consumes the queues of all jobs that are known.
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

    /// A queue was asked for.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - source: Its consumer's number; nil if it is not there.
    ///   - link: The connection.
    private func asked(_ queue: Link.Queue, _ source: Int?, on link: Link) {
        link.askedCount -= 1
        if let source, link.sources[source]?.isLeft == true {
            // It was left before it had begun. The job may have come back since.
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

    /// A queue that was consumed is deleted.
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

    /// The channel of a consumer is gone.
    private func lost(_ number: Int, _ failure: ConnectionFailure) {
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

    /// Says that the broker has cut the worker off for tasks that take longer than it allows.
    func sayOverdue(_ tasks: [Envelope.TaskMessage], _ failure: ConnectionFailure) {
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

    /// Reports a round of cancellations when all consumers of its job that were requested are there.
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
        // What has begun or ended is said before that the cancel was seen.
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

    /// Has the broker send more or fewer tasks at a time, where that is far from what is planned.
    ///
    /// More is another consumer of the same queue. Fewer ends one, and what was on its way to it
    /// counts as come back, with RabbitMQ 3.10.8; so that is left to where it is much.
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
