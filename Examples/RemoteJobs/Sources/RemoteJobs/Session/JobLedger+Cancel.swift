/// The ledger's part in cancels.
extension JobLedger {
    /// A task was cancelled.
    mutating func cancelRequested(_ name: TaskName, isSame: (Entry) -> Bool = { _ in true })
        -> [Action]
    {
        guard let task = tasks[name], isSame(task.entry), !task.isCancelled else { return [] }
        tasks[name]?.isCancelled = true
        guard task.isOut else { return settle(name, .ended(.stopped)) }
        // One that is being published, or in doubt, is cancelled when the broker has answered.
        guard task.state != .publishing, task.state != .waiting else { return [] }
        return cancels.add(name) ? [.cancelSoon] : []
    }

    /// Makes a round of at most so many cancelled tasks.
    ///
    /// - Returns: The round's id and the publications to be cancelled; nil if none wait.
    mutating func takeCancelRound(_ most: Int) -> (id: String, publications: [PublicationID])? {
        guard let round = cancels.take(most) else { return nil }
        return (round.id, round.names.compactMap { tasks[$0]?.id })
    }

    /// The routes whose consumers are to be counted.
    var routesToCount: Set<Name> {
        Set(
            cancels.rounds.filter(\.isConfirmed)
                .flatMap { $0.names.compactMap { tasks[$0]?.route } }
        )
    }

    /// The workers that run cancelled tasks, whose presence is to be asked for.
    var workersToAsk: Set<WorkerIdentity> {
        Set(
            cancels.rounds.filter(\.isConfirmed)
                .flatMap { round in
                    round.names.compactMap { tasks[$0]?.runner?.worker }
                }
        )
    }

    /// The rounds that still wait for workers to see them, with what is left of them.
    ///
    /// A worker that was about to connect when a round came has read it and not said so; asked
    /// again, it does.
    var roundsToRepeat: [(id: String, publications: [PublicationID])] {
        cancels.rounds.filter(\.isConfirmed)
            .compactMap { round in
                let ids = round.names.compactMap { name in
                    tasks[name].flatMap { $0.runner == nil ? $0.id : nil }
                }
                return ids.isEmpty ? nil : (round.id, ids)
            }
    }

    /// The broker has a round of cancels.
    mutating func cancelRoundConfirmed(_ id: String) {
        cancels.confirmed(id)
    }

    /// A worker has read a round of cancellations.
    ///
    /// - Parameters:
    ///   - id: The round.
    ///   - worker: The worker's instance.
    ///   - routes: The routes that the worker consumes, each once for each consumer.
    /// - Returns: Whether consumers should be counted now.
    mutating func cancelRoundSeen(_ id: String, by worker: Name, routes: [Name]) -> Bool {
        cancels.seen(id, by: worker, routes: routes)
    }

    /// A count of the consumers of ``routesToCount`` has ended.
    ///
    /// - Parameters:
    ///   - census: The reports that had arrived before it.
    ///   - consumers: By route: how many consumers its queue has.
    ///   - gone: The workers that were no longer connected after it.
    /// - Returns: What is to be done.
    mutating func censusEnded(
        _ census: CancelRounds.Census,
        consumers: [Name: Int],
        gone: Set<Name> = []
    ) -> [Action] {
        cancels.censusEnded(census, consumers: consumers, gone: gone)
        return endUnstarted()
    }

    /// A worker has gone: what it ran, nobody runs.
    mutating func workerGone(_ worker: WorkerIdentity) -> [Action] {
        for round in cancels.rounds {
            for name in round.names where tasks[name]?.runner?.worker == worker {
                tasks[name]?.runner = nil
            }
        }
        return endUnstarted()
    }

    /// Ends the cancelled tasks that nobody runs and nobody will.
    private mutating func endUnstarted() -> [Action] {
        var records: [Record.Task] = []
        var actions: [Action] = []
        for round in cancels.rounds {
            for name in round.names.sorted(by: { $0.key < $1.key }) {
                guard let task = tasks[name], task.runner == nil,
                    round.completeRoutes.contains(task.route),
                    let (record, settled) = withdraw(name)
                else { continue }
                records.append(record)
                actions += settled
            }
        }
        return records.isEmpty ? [] : [.noteWithdrawn(records)] + actions
    }
}
