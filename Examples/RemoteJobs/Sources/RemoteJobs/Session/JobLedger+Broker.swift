/// The ledger's part in what the broker says.
extension JobLedger {
    /// The queues of a route are there.
    mutating func routeDeclared(_ route: String) {
        boundRoutes.insert(route)
        for key in parked.removeValue(forKey: route) ?? [] where tasks[key]?.state == .parked {
            tasks[key]?.state = .waiting
            waiting.append(key)
        }
    }

    /// This connection's own marker was read back: all that came before is known.
    mutating func opened() -> [Action] {
        isOpen = true
        var actions: [Action] = []
        let early = parked
        parked = [:]
        for key in early.values.flatMap(\.self) {
            guard let task = tasks[key], task.state == .parked else { continue }
            actions += place(task, key)
        }
        for (key, task) in tasks where task.isOut {
            if task.isCancelled {
                // The broker may have it, and is asked to stop it.
                tasks[key]?.state = .queued
                tasks[key]?.isInDoubt = false
                cancels.add(key)
            } else if task.isInDoubt {
                // Its publishing may have been lost, and no outcome came of it: it goes again.
                waiting.append(key)
            }
        }
        return cancels.hasWaiting ? actions + [.cancelSoon] : actions
    }

    /// The connection has gone.
    mutating func connectionLost() {
        isOpen = false
        unconfirmedCount = 0
        cancels.connectionLost()
        for (key, task) in tasks where task.state == .publishing {
            tasks[key]?.state = .waiting
            tasks[key]?.isInDoubt = true
        }
    }

    /// The broker has answered a publishing.
    ///
    /// If it does not have the task, the task goes again, once its route's queues are declared
    /// anew.
    mutating func publishingAnswered(
        _ key: String,
        _ id: PublicationID,
        isConfirmed: Bool
    ) -> [Action] {
        unconfirmedCount = max(0, unconfirmedCount - 1)
        guard let task = tasks[key], task.id == id, task.state == .publishing else { return [] }
        if isConfirmed {
            tasks[key]?.state = .queued
            let note = Action.noteQueued(Record.Task(key: key, id: id, digest: task.digest))
            guard task.isCancelled else { return [note] }
            return [note] + (cancels.add(key) ? [.cancelSoon] : [])
        }
        outCount -= 1
        if task.isCancelled { return settle(key, .ended(.stopped)) }
        boundRoutes.remove(task.route)
        tasks[key]?.state = .parked
        parked[task.route, default: []].append(key)
        return [.declare(route: task.route)]
    }

    /// The stream says something.
    mutating func read(_ record: Record) -> [Action] {
        switch record {
        case .seen: return []
        case .life(let mark):
            // A mark is a life and, after a dot, the number of its connection.
            lives.insert(String(mark.prefix { $0 != "." }))
            return []
        case .route(let route):
            pastRoutes.insert(route)
            return []
        case .queued(let entries):
            for entry in entries where entry.id.life != life { earlier.queued(entry) }
            return []
        case .started(let entries, let worker):
            return entries.flatMap { started($0, worker, attempt: $1) }
        case .progress(let entries):
            return entries.compactMap { key, fraction in
                tasks[key].map { .tellProgress($0.entry, fraction) }
            }
        case .withdrawn(let entries):
            for entry in entries where entry.id.life != life { earlier.withdrawn(entry) }
            return []
        case .ended(let task, let outcome): return ended(task, outcome)
        }
    }

    private mutating func started(
        _ entry: Record.Task,
        _ worker: WorkerIdentity,
        attempt: Int
    ) -> [Action] {
        guard let task = tasks[entry.key], task.id == entry.id else {
            if entry.id.life != life { earlier.started(entry, worker, attempt: attempt) }
            return []
        }
        guard task.isOut else { return [] }
        tasks[entry.key]?.runner = .init(worker: worker, attempt: attempt)
        return [.tellStarted(task.entry, worker, attempt: attempt)]
    }

    private mutating func ended(_ entry: Record.Task, _ outcome: TaskOutcome<Body>) -> [Action] {
        let isOfThisLife = entry.id.life == life
        guard let task = tasks[entry.key],
            task.id == entry.id || !isOfThisLife && task.state != .parked
        else {
            if isOfThisLife || !earlier.ended(entry, outcome) {
                // A task that was withdrawn has ended, and what comes of it is no duplicate.
                if case .stopped = outcome { return [] }
                counts.duplicateOutcomes += 1
            }
            return []
        }
        if let digest = entry.digest, digest != task.digest {
            return settle(entry.key, .inputChanged)
        }
        if task.isOut { outCount -= 1 }
        return settle(entry.key, .ended(outcome))
    }

    /// Ends a task.
    mutating func settle(_ key: String, _ settlement: Settlement) -> [Action] {
        guard let task = tasks.removeValue(forKey: key) else { return [] }
        cancels.settled(key)
        return [.settle(task.entry, settlement)]
    }

    /// A task that the broker had is nobody's any more.
    mutating func withdraw(_ key: String) -> (Record.Task, [Action])? {
        guard let task = tasks[key] else { return nil }
        outCount -= 1
        let record = Record.Task(key: key, id: task.id, digest: task.digest)
        return (record, settle(key, .ended(.stopped)))
    }
}
