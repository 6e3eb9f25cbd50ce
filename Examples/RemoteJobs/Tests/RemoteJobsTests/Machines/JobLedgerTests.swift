import Testing

@testable import RemoteJobs

/// Feeds events to the ledger and compares its actions as text.
@Suite struct JobLedgerTests {
    private typealias Ledger = JobLedger<String, String>
    private static let worker = WorkerIdentity(name: "h1", instance: "i1")

    private func text(_ actions: [Ledger.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .declare(let route): "declare \(route)"
            case .noteQueued(let task): "note \(task.key)"
            case .noteWithdrawn(let tasks): "withdrawn \(tasks.map(\.key.text))"
            case .settle(let entry, .ended(.done(let body))): "\(entry) done \(body)"
            case .settle(let entry, .ended(.failed(let body))): "\(entry) failed \(body)"
            case .settle(let entry, .ended(.stopped)): "\(entry) stopped"
            case .settle(let entry, .ended(.undeliverable(let count, _))): "\(entry) dead \(count)"
            case .settle(let entry, let settlement): "\(entry) \(settlement)"
            case .tellStarted(let entry, let worker, let attempt):
                "\(entry) on \(worker.name) \(attempt)"
            case .tellProgress(let entry, let fraction): "\(entry) at \(fraction)"
            case .cancelSoon: "cancel soon"
            case .readAgain(let name, let offset): "read \(name.key) at \(offset)"
            }
        }
    }

    private func task(_ key: Name, _ number: Int, _ life: String = "me") -> Ledger.Record.Task {
        let id = PublicationID(life: life, number: number)
        return Ledger.Record.Task(name: name(key), id: id, digest: 1)
    }

    private func name(_ key: Name, _ work: Name = "r") -> TaskName {
        TaskName(work: work, key: key)
    }

    private func openLedger(unconfirmed: Int = 10, inFlight: Int = 10) -> Ledger {
        var ledger = Ledger(life: "me", limits: .init(unconfirmed: unconfirmed, inFlight: inFlight))
        _ = ledger.opened()
        ledger.routeDeclared("r")
        return ledger
    }

    /// Creates a ledger with the task `a` at the broker.
    private func ledgerWithQueued() -> Ledger {
        var ledger = openLedger()
        _ = ledger.submitted("A", key: "a", route: "r", digest: 1)
        _ = ledger.nextToPublish()
        _ = ledger.publishingAnswered(name("a"), task("a", 1).id, isConfirmed: true)
        return ledger
    }

    @Test func nothingIsPublishedBeforeTheMarkerWasReadNorBeforeTheRouteIsBound() {
        var ledger = Ledger(life: "me")
        #expect(text(ledger.submitted("A", key: "a", route: "r", digest: 1)) == [])
        #expect(ledger.nextToPublish()?.name.key == nil)
        #expect(text(ledger.opened()) == ["declare r"])
        #expect(ledger.nextToPublish()?.name.key == nil)
        ledger.routeDeclared("r")
        #expect(ledger.nextToPublish()?.name.key == "a")
        #expect(ledger.nextToPublish()?.name.key == nil)
    }

    @Test func unconfirmedAndInFlightAreLimits() {
        var ledger = openLedger(unconfirmed: 2, inFlight: 2)
        for key in ["a", "b", "c"] {
            _ = ledger.submitted(key, key: Name(key), route: "r", digest: 1)
        }
        #expect(ledger.nextToPublish()?.name.key == "a")
        #expect(ledger.nextToPublish()?.name.key == "b")
        let confirmed = ledger.publishingAnswered(name("a"), task("a", 1).id, isConfirmed: true)
        #expect(text(confirmed) == ["note a"])
        #expect(ledger.nextToPublish()?.name.key == nil)
        #expect(text(ledger.read(.ended(task("a", 1), .done("1")))) == ["a done 1"])
        #expect(ledger.nextToPublish()?.name.key == "c")
        #expect(ledger.inFlightCount == 2)
    }

    @Test func whatTheBrokerCouldNotTakeGoesAgainWhenItsRouteIsDeclaredAnew() {
        var ledger = openLedger()
        _ = ledger.submitted("A", key: "a", route: "r", digest: 1)
        _ = ledger.nextToPublish()
        let refused = ledger.publishingAnswered(name("a"), task("a", 1).id, isConfirmed: false)
        #expect(text(refused) == ["declare r"])
        #expect(ledger.nextToPublish()?.name.key == nil)
        ledger.routeDeclared("r")
        #expect(ledger.nextToPublish()?.id == task("a", 1).id)
    }

    @Test func aPublishingInDoubtGoesAgainUnlessItsOutcomeCame() {
        var ledger = openLedger()
        for key in ["a", "b"] {
            _ = ledger.submitted(key, key: Name(key), route: "r", digest: 1)
            _ = ledger.nextToPublish()
        }
        ledger.connectionLost()
        #expect(text(ledger.read(.ended(task("a", 1), .done("1")))) == ["a done 1"])
        _ = ledger.opened()
        #expect(ledger.nextToPublish()?.name.key == "b")
        #expect(ledger.inFlightCount == 1)
    }

    @Test func theFirstOutcomeSettlesAndTheSecondIsCounted() {
        var ledger = ledgerWithQueued()
        #expect(text(ledger.read(.ended(task("a", 1), .failed("no")))) == ["A failed no"])
        #expect(text(ledger.read(.ended(task("a", 1), .done("1")))) == [])
        #expect(ledger.counts.duplicateOutcomes == 1)
        #expect(ledger.inFlightCount == 0)
    }

    @Test func aKnownOutcomeComesAtOnceAndAQueuedTaskIsAdopted() {
        var ledger = Ledger(life: "me")
        _ = ledger.read(.life("old.1"))
        _ = ledger.read(.queued([task("a", 1, "old"), task("b", 2, "old")]))
        _ = ledger.read(.started([(task("b", 2, "old"), attempt: 1)], worker: Self.worker))
        _ = ledger.read(.ended(task("a", 1, "old"), .done("1")))
        _ = ledger.opened()
        ledger.routeDeclared("r")
        #expect(text(ledger.submitted("A", key: "a", route: "r", digest: 1)) == ["A done 1"])
        #expect(text(ledger.submitted("B", key: "b", route: "r", digest: 1)) == ["B on h1 1"])
        #expect(ledger.nextToPublish()?.name.key == nil)
        #expect(ledger.counts.knownOutcomes == 1)
        #expect(ledger.counts.adopted == 1)
    }

    @Test func aChangedInputIsRefused() {
        var ledger = openLedger()
        _ = ledger.read(.life("old.1"))
        _ = ledger.read(.queued([task("a", 1, "old")]))
        #expect(text(ledger.submitted("A", key: "a", route: "r", digest: 2)) == ["A inputChanged"])
    }

    /// Counts consumers after the reports that have arrived.
    private func count(_ consumers: Int, _ gone: Set<Name> = [], in ledger: inout Ledger)
        -> [String]
    {
        let census = ledger.cancels.censusBegan()
        return text(ledger.censusEnded(census, consumers: ["r": consumers], gone: gone))
    }

    @Test func queuedTaskEndsWhenTheOwnersOfAllConsumersHaveReported() {
        var ledger = ledgerWithQueued()
        #expect(text(ledger.cancelRequested(name("a"))) == ["cancel soon"])
        #expect(ledger.takeCancelRound(9)?.publications == [task("a", 1).id])
        ledger.cancelRoundConfirmed("me.1")
        #expect(count(2, in: &ledger) == [])
        #expect(ledger.cancelRoundSeen("me.1", by: "i1", routes: ["r"]) == true)
        #expect(ledger.cancelRoundSeen("me.1", by: "i3", routes: ["other"]) == true)
        #expect(count(2, in: &ledger) == [])
        #expect(ledger.cancelRoundSeen("me.1", by: "i2", routes: ["r"]) == true)
        #expect(count(2, in: &ledger) == ["withdrawn [\"a\"]", "A stopped"])
        #expect(ledger.inFlightCount == 0)
        #expect(ledger.cancelRoundSeen("me.1", by: "i2", routes: ["r"]) == false)
    }

    @Test func workerWithSeveralConsumersReportsThemAll() {
        var ledger = ledgerWithQueued()
        _ = ledger.cancelRequested(name("a"))
        _ = ledger.takeCancelRound(9)
        ledger.cancelRoundConfirmed("me.1")
        _ = ledger.cancelRoundSeen("me.1", by: "i1", routes: ["r", "r"])
        // The third consumer belongs to another worker, or started after the report.
        #expect(count(3, in: &ledger) == [])
        _ = ledger.cancelRoundSeen("me.1", by: "i1", routes: ["r", "r", "r"])
        #expect(count(3, in: &ledger) == ["withdrawn [\"a\"]", "A stopped"])
    }

    @Test func reportThatArrivesDuringACountWaitsForTheNextOne() {
        var ledger = ledgerWithQueued()
        _ = ledger.cancelRequested(name("a"))
        _ = ledger.takeCancelRound(9)
        ledger.cancelRoundConfirmed("me.1")
        let census = ledger.cancels.censusBegan()
        // Its second consumer may have started after the count, so one of the two may be another
        // worker's.
        _ = ledger.cancelRoundSeen("me.1", by: "i1", routes: ["r", "r"])
        #expect(text(ledger.censusEnded(census, consumers: ["r": 2])) == [])
        #expect(count(2, in: &ledger) == ["withdrawn [\"a\"]", "A stopped"])
    }

    @Test func reportOfAWorkerThatHasDiedCountsForNoOther() {
        var ledger = ledgerWithQueued()
        _ = ledger.cancelRequested(name("a"))
        _ = ledger.takeCancelRound(9)
        ledger.cancelRoundConfirmed("me.1")
        _ = ledger.cancelRoundSeen("me.1", by: "i1", routes: ["r"])
        // The only consumer belongs to a worker that has not read the round.
        #expect(count(1, ["i1"], in: &ledger) == [])
        #expect(count(1, in: &ledger) == [])
        _ = ledger.cancelRoundSeen("me.1", by: "i2", routes: ["r"])
        #expect(count(1, in: &ledger) == ["withdrawn [\"a\"]", "A stopped"])
    }

    @Test func runningTaskIsWaitedForUnlessItsWorkerIsGone() {
        var ledger = ledgerWithQueued()
        _ = ledger.read(.started([(task("a", 1), attempt: 1)], worker: Self.worker))
        _ = ledger.cancelRequested(name("a"))
        _ = ledger.takeCancelRound(9)
        ledger.cancelRoundConfirmed("me.1")
        #expect(count(0, in: &ledger) == [])
        #expect(ledger.workersToAsk == [Self.worker])
        #expect(text(ledger.workerGone(Self.worker)) == ["withdrawn [\"a\"]", "A stopped"])
    }

    @Test func aLostConnectionSendsTheCancelsAnew() {
        var ledger = ledgerWithQueued()
        _ = ledger.cancelRequested(name("a"))
        _ = ledger.takeCancelRound(9)
        ledger.connectionLost()
        #expect(text(ledger.opened()) == ["cancel soon"])
        #expect(ledger.takeCancelRound(9)?.publications == [task("a", 1).id])
    }

    @Test func aRoundThatAWorkerHasNotSeenIsRepeatedWithoutWhatRunsOrHasEnded() {
        var ledger = openLedger()
        for key in ["a", "b", "c"] {
            _ = ledger.submitted(key, key: Name(key), route: "r", digest: 1)
            _ = ledger.nextToPublish()
        }
        for (number, key) in ["a", "b", "c"].enumerated() {
            let id = PublicationID(life: "me", number: number + 1)
            _ = ledger.publishingAnswered(name(Name(key)), id, isConfirmed: true)
            _ = ledger.cancelRequested(name(Name(key)))
        }
        let round = ledger.takeCancelRound(10)
        #expect(ledger.roundsToRepeat.isEmpty)
        ledger.cancelRoundConfirmed(round?.id ?? "")
        _ = ledger.read(.started([(task("a", 1), attempt: 1)], worker: Self.worker))
        _ = ledger.read(.ended(task("b", 2), .stopped))
        #expect(ledger.roundsToRepeat.map(\.id) == [round?.id])
        #expect(ledger.roundsToRepeat.map(\.publications) == [[task("c", 3).id]])
        // There are two consumers, and the worker has reported one of them twice.
        for _ in 0..<2 {
            _ = ledger.cancelRoundSeen(round?.id ?? "", by: "i1", routes: ["r"])
            #expect(count(2, in: &ledger) == [])
        }
        _ = ledger.cancelRoundSeen(round?.id ?? "", by: "i2", routes: ["r"])
        #expect(count(2, in: &ledger) == ["withdrawn [\"c\"]", "c stopped"])
        #expect(ledger.roundsToRepeat.isEmpty)
    }

    @Test func routesOfEarlierLivesAreKnownToWhoeverRemovesTheJob() {
        var ledger = openLedger()
        _ = ledger.read(.route("past"))
        #expect(ledger.routes == ["past", "r"])
    }

    @Test func aLateOutcomeOfAnotherWorkOrLifeSettlesNothing() {
        var ledger = openLedger()
        _ = ledger.read(.life("old.1"))
        _ = ledger.submitted("B", key: "a", route: "r", digest: 1)
        _ = ledger.nextToPublish()
        let other = Ledger.Record.Task(
            name: name("a", "other"),
            id: PublicationID(life: "old", number: 1),
            digest: 1
        )
        #expect(text(ledger.read(.ended(other, .done("16")))) == [])
        #expect(text(ledger.read(.ended(task("a", 1, "old"), .done("16")))) == [])
        #expect(text(ledger.read(.ended(task("a", 1, "old"), .done("16")))) == [])
        #expect(ledger.counts.duplicateOutcomes == 2)
        #expect(text(ledger.read(.ended(task("a", 1), .done("25")))) == ["B done 25"])
    }

    @Test func tasksOfTwoWorksMayHaveOneKeyAtATime() {
        var ledger = openLedger()
        ledger.routeDeclared("s")
        _ = ledger.submitted("A", key: "a", route: "r", digest: 1)
        #expect(text(ledger.submitted("B", key: "a", route: "s", digest: 1)) == [])
        #expect(text(ledger.submitted("C", key: "a", route: "r", digest: 1)) == ["C keyInUse"])
        #expect(text(ledger.submitted("D", key: "a", route: "r@p", digest: 1)) == ["D keyInUse"])
    }

    @Test func anOutcomeOfWhichThePlaceIsKeptIsReadAgainOrItsTaskRunsAnew() {
        for isGone in [false, true] {
            var ledger = Ledger(life: "me")
            _ = ledger.read(.life("old.1"))
            let place = StreamPlace(offset: 7, bytes: EarlierLives<String>.keptBytesLimit + 1)
            _ = ledger.read(.ended(task("a", 1, "old"), .done("1")), at: place)
            _ = ledger.opened()
            ledger.routeDeclared("r")
            let read = ledger.submitted("A", key: "a", route: "r", digest: 1)
            #expect(text(read) == ["read a at 7"])
            #expect(ledger.nextToPublish()?.name.key == nil)
            let found = Ledger.Record.ended(task("a", 1, "old"), .done("1"))
            let ends = text(ledger.readAgain(name("a"), isGone ? nil : found))
            #expect(ends == (isGone ? [] : ["A done 1"]))
            // The first number belonged to this task before it took over the state from the earlier
            // run.
            #expect(ledger.nextToPublish()?.id == (isGone ? task("a", 2).id : nil))
        }
    }

    @Test func aTaskThatTakesLongerThanTheBrokerAllowsSaysSoWhenItIsGivenUp() {
        var ledger = ledgerWithQueued()
        _ = ledger.read(.overdue([task("a", 1)], "Timeout value used: 100 ms"))
        let dead = TaskOutcome<String>.undeliverable(deliveries: 4, reason: "each worker died")
        let settled = ledger.read(.ended(task("a", 1), dead))
        guard case .settle(_, .ended(.undeliverable(_, let reason)))? = settled.first else {
            Issue.record("\(settled)")
            return
        }
        #expect(reason.contains("consumer_timeout"))
        #expect(reason.contains("100 ms"))
    }
}
