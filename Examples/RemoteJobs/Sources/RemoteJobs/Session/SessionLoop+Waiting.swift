import AMQP
import NIOCore

/// What a session says of what it waits for.
extension SessionLoop {
    private static let tickTime = Duration.milliseconds(500)
    /// How often a route whose tasks have not begun is asked for its workers.
    private static let askTime = Duration.seconds(1)
    /// How many routes are asked for at a time.
    private static let mostAsked = 50
    /// How long a route without workers keeps to itself before its workers are told again.
    private static let announcementTime = Duration.seconds(5)
    /// When workers are told again in any case: the stream for it forgets what is older than a day.
    private static let longestSilence = Duration.seconds(6 * 3_600)

    /// Says twice a second what is due, until the session has ended.
    func tick() {
        guard ending == nil else { return }
        for words in waits.due(at: now) { logger.info("\(words)") }
        showWaits()
        if let last = lastAnnouncement, now - last > Self.longestSilence {
            announce()
            // The job's stream forgets what is older than a week.
            write(Envelope.mark(.life, "\(life).\(generation)"), ByteBuffer())
        }
        after(Self.tickTime) { $0.tick() }
    }

    func waitForBroker(_ reason: String) {
        let isOpening = machine.state == .opening
        let time = isOpening ? SessionStateMachine.openingPatience : options.patience
        let broker = lastBroker.isEmpty ? nodes.description : lastBroker
        let words = "no broker at \(broker): \(reason);"
        waits.began(.broker, "\(words) trying for \(time.components.seconds) s", at: now)
        showWaits()
    }

    func waitForLock() {
        over(.broker)
        let seconds = options.pace.lockPatience.components.seconds
        waits.began(.lock, "the job \(job) runs elsewhere; trying for \(seconds) s", at: now)
        showWaits()
    }

    /// Notes that the broker takes no messages for a reason, or takes them again.
    func waitForRoom(_ reason: String?) {
        if let reason {
            let words = "the broker at \(lastBroker) takes no messages for now: \(reason)"
            waits.began(.room, words, at: now)
        } else {
            over(.room)
        }
        showWaits()
    }

    /// There is a connection of use, or nothing is waited for any more.
    func stopWaiting() {
        for cause in waits.words.keys { over(cause) }
        showWaits()
    }

    private func over(_ cause: Waits.Cause) {
        guard let (words, seconds) = waits.ended(cause, at: now) else { return }
        logger.info("\(ending == nil ? "over" : "ended") after \(seconds) s: \(words)")
    }

    private func showWaits() {
        let words = waits.words
        waitsSeen.withLock { $0 = words }
    }

    /// What keeps a task, from any thread.
    ///
    /// - Parameter route: The task's route, if it has not begun.
    /// - Returns: A line for each thing that it waits for.
    nonisolated func notes(of route: Name?) -> [String] {
        let words = waitsSeen.withLock { $0 }
        let causes = [.broker, .lock, .room] + [route.map { Waits.Cause.worker(route: $0) }]
        return causes.compactMap { cause in cause.flatMap { words[$0] } }
    }

    // MARK: Workers

    /// Tells all workers in which queues the job has tasks.
    func announce() {
        guard !ledger.boundRoutes.isEmpty else { return }
        sayQueues(ledger.boundRoutes.sorted())
    }

    /// Says for which routes the job has queues.
    func sayQueues(_ routes: [Name]) {
        guard let link, link.isReady else { return }
        lastAnnouncement = now
        link.streams.write(
            to: Layout.control,
            Envelope.mark(.tasks, life, job: job),
            Envelope.body(ofNames: routes)
        )
    }

    /// Asks each second for the workers of routes whose tasks have not begun.
    func watchRoutes(_ generation: Int) {
        after(Self.askTime) { loop in
            guard loop.generation == generation, loop.ending == nil else { return }
            Task {
                await loop.askForServers(generation)
                loop.watchRoutes(generation)
            }
        }
    }

    private func askForServers(_ generation: Int) async {
        guard let link, link.isReady, !link.isBlocked else { return }
        let idle = ledger.routesNotBegun
        for cause in waits.words.keys {
            if case .worker(let route) = cause, idle[route] == nil { over(cause) }
        }
        var isUnserved = false
        for (route, count) in idle.sorted(by: { $0.key < $1.key }).prefix(Self.mostAsked) {
            let answer = await ask(Layout.tasks(route, of: job))
            guard self.generation == generation, case .success(let state) = answer else { return }
            if state.consumerCount > 0 {
                over(.worker(route: route))
            } else {
                isUnserved = true
                let tasks = count == 1 ? "1 task waits" : "\(count) tasks wait"
                let words = "no worker serves \(route): \(tasks)"
                waits.began(.worker(route: route), words, at: now)
            }
        }
        showWaits()
        if isUnserved, lastAnnouncement.map({ now - $0 > Self.announcementTime }) ?? true {
            announce()
        }
    }
}
