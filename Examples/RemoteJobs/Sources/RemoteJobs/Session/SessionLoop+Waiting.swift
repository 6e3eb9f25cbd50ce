import AMQP
import NIOCore

/// Logs the causes for which a session waits.
extension SessionLoop {
    private static let tickTime = Duration.milliseconds(500)
    /// How often a route with queued tasks is checked for workers.
    private static let askTime = Duration.seconds(1)
    /// The highest number of routes that are checked at a time.
    private static let mostAsked = 50
    /// How long a route stays without workers before its queues are announced again.
    private static let announcementTime = Duration.seconds(5)
    /// The interval of unconditional announcements.
    ///
    /// Their stream keeps messages for a day.
    private static let longestSilence = Duration.seconds(6 * 3_600)

    /// Logs due waits twice a second until the session has ended.
    func tick() {
        guard ending == nil else { return }
        for words in waits.due(at: now) { logger.info("\(words)") }
        showWaits()
        if let last = lastAnnouncement, now - last > Self.longestSilence {
            announce()
            // The job's stream drops records after a week.
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

    /// Starts or ends the wait for a broker that accepts no messages for a reason.
    func waitForRoom(_ reason: String?) {
        if let reason {
            let words = "the broker at \(lastBroker) takes no messages for now: \(reason)"
            waits.began(.room, words, at: now)
        } else {
            over(.room)
        }
        showWaits()
    }

    /// Ends all waits, because the connection is usable or the session has ended.
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

    /// The obstacles for a task.
    ///
    /// May be called on any thread.
    ///
    /// - Parameter route: The task's route, if it has not started.
    /// - Returns: A line for each obstacle.
    nonisolated func notes(of route: Name?) -> [String] {
        let words = waitsSeen.withLock { $0 }
        let causes = [.broker, .lock, .room] + [route.map { Waits.Cause.worker(route: $0) }]
        return causes.compactMap { cause in cause.flatMap { words[$0] } }
    }

    // MARK: Workers

    /// Announces the job's queues to all workers.
    func announce() {
        guard !ledger.boundRoutes.isEmpty else { return }
        sayQueues(ledger.boundRoutes.sorted())
    }

    /// Announces the routes for which the job has queues.
    func sayQueues(_ routes: [Name]) {
        guard let link, link.isReady else { return }
        lastAnnouncement = now
        link.streams.write(
            to: Layout.control,
            Envelope.mark(.tasks, life, job: job),
            Envelope.body(ofNames: routes)
        )
    }

    /// Checks each second whether the routes of queued tasks have workers.
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
