/// Handles cancellations.
extension JobLedger {
    /// Cancels a task.
    mutating func cancelRequested(_ name: TaskName, isSame: (Entry) -> Bool = { _ in true })
        -> [Action]
    {
        guard let task = tasks[name], isSame(task.entry), !task.isCancelled else { return [] }
        tasks[name]?.isCancelled = true
        guard task.isOut else { return settle(name, .ended(.stopped)) }
        // While it is being published or in doubt, its cancellation waits for the broker's answer.
        guard task.state != .publishing, task.state != .waiting else { return [] }
        return cancels.add(name) ? [.cancelSoon] : []
    }

    /// Creates a round of cancelled tasks, up to the given number.
    ///
    /// - Returns: The round's ID and the publications to cancel, or nil if no task is waiting.
    mutating func takeCancelRound(_ most: Int) -> (id: String, publications: [PublicationID])? {
        guard let round = cancels.take(most) else { return nil }
        return (round.id, round.names.compactMap { tasks[$0]?.id })
    }

    /// The routes that need a count of their consumers.
    var routesToCount: Set<Name> {
        Set(
            cancels.rounds.filter(\.isConfirmed)
                .flatMap { $0.names.compactMap { tasks[$0]?.route } }
        )
    }

    /// The workers of cancelled tasks, which must be checked for presence.
    var workersToAsk: Set<WorkerIdentity> {
        Set(
            cancels.rounds.filter(\.isConfirmed)
                .flatMap { round in
                    round.names.compactMap { tasks[$0]?.runner?.worker }
                }
        )
    }

    /// The incomplete rounds with their remaining tasks.
    ///
    /// A worker that was connecting when a round came has read the round without a report. It
    /// reports when the round is repeated.
    var roundsToRepeat: [(id: String, publications: [PublicationID])] {
        cancels.rounds.filter(\.isConfirmed)
            .compactMap { round in
                let ids = round.names.compactMap { name in
                    tasks[name].flatMap { $0.runner == nil ? $0.id : nil }
                }
                return ids.isEmpty ? nil : (round.id, ids)
            }
    }

    /// Records that the broker has confirmed a round.
    mutating func cancelRoundConfirmed(_ id: String) {
        cancels.confirmed(id)
    }

    /// Records that a worker has read a round.
    ///
    /// - Parameters:
    ///   - id: The round.
    ///   - worker: The worker's instance.
    ///   - routes: The routes that the worker consumes, each once for each consumer.
    /// - Returns: Whether consumers should be counted now.
    mutating func cancelRoundSeen(_ id: String, by worker: Name, routes: [Name]) -> Bool {
        cancels.seen(id, by: worker, routes: routes)
    }

    /// Handles a count of the consumers of ``routesToCount``.
    ///
    /// - Parameters:
    ///   - census: The reports that had arrived before the count.
    ///   - consumers: The number of consumers of each route's queue.
    ///   - gone: The workers that were no longer connected after the count.
    /// - Returns: The actions to carry out.
    mutating func censusEnded(
        _ census: CancelRounds.Census,
        consumers: [Name: Int],
        gone: Set<Name> = []
    ) -> [Action] {
        cancels.censusEnded(census, consumers: consumers, gone: gone)
        return endUnstarted()
    }

    /// Handles the loss of a worker, which ends the runs of its tasks.
    mutating func workerGone(_ worker: WorkerIdentity) -> [Action] {
        for round in cancels.rounds {
            for name in round.names where tasks[name]?.runner?.worker == worker {
                tasks[name]?.runner = nil
            }
        }
        return endUnstarted()
    }

    /// Ends the cancelled tasks that no worker runs or can still start.
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
