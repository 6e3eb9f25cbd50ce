/// The ledger's part in what the broker says.
extension JobLedger {
    /// The queues of a route are there.
    mutating func routeDeclared(_ route: Name) {
        boundRoutes.insert(route)
        for name in parked.removeValue(forKey: route) ?? [] where tasks[name]?.state == .parked {
            tasks[name]?.state = .waiting
            waiting.append(name)
        }
    }

    /// This connection's own marker was read back: all that came before is known.
    mutating func opened() -> [Action] {
        isOpen = true
        var actions: [Action] = []
        let early = parked
        parked = [:]
        for name in early.values.flatMap(\.self) {
            guard let task = tasks[name], task.state == .parked else { continue }
            actions += place(task, name)
        }
        for (name, task) in tasks where task.isOut {
            if task.isCancelled {
                // The broker may have it, and is asked to stop it.
                tasks[name]?.state = .queued
                tasks[name]?.isInDoubt = false
                cancels.add(name)
            } else if task.isInDoubt {
                // Its publishing may have been lost, and no outcome came of it: it goes again.
                waiting.append(name)
            }
        }
        return cancels.hasWaiting ? actions + [.cancelSoon] : actions
    }

    /// The connection has gone.
    mutating func connectionLost() {
        isOpen = false
        unconfirmedCount = 0
        cancels.connectionLost()
        for (name, task) in tasks where task.state == .publishing {
            tasks[name]?.state = .waiting
            tasks[name]?.isInDoubt = true
        }
    }

    /// The broker has answered a publishing.
    ///
    /// If it does not have the task, the task goes again, once its route's queues are declared
    /// anew.
    mutating func publishingAnswered(
        _ name: TaskName,
        _ id: PublicationID,
        isConfirmed: Bool
    ) -> [Action] {
        unconfirmedCount = max(0, unconfirmedCount - 1)
        guard let task = tasks[name], task.id == id, task.state == .publishing else { return [] }
        if isConfirmed {
            tasks[name]?.state = .queued
            let note = Action.noteQueued(Record.Task(name: name, id: id, digest: task.digest))
            guard task.isCancelled else { return [note] }
            return [note] + (cancels.add(name) ? [.cancelSoon] : [])
        }
        outCount -= 1
        if task.isCancelled { return settle(name, .ended(.stopped)) }
        boundRoutes.remove(task.route)
        tasks[name]?.state = .parked
        parked[task.route, default: []].append(name)
        return [.declare(route: task.route)]
    }

    /// The stream says something.
    ///
    /// - Parameters:
    ///   - record: What it says.
    ///   - place: Where in the stream it says so; nil if it cannot be read there again.
    /// - Returns: What is to be done.
    mutating func read(_ record: Record, at place: StreamPlace? = nil) -> [Action] {
        switch record {
        case .seen: return []
        case .life(let mark):
            // A mark is a life and, after a dot, the number of its connection.
            let life = String(mark.prefix { $0 != "." })
            lives.insert(Name(life))
            if life != self.life { earlier.lifeBegan(life) }
            return []
        case .route(let route):
            pastRoutes.insert(route)
            return []
        case .queued(let entries):
            for entry in entries where entry.id.life != life { earlier.queued(entry) }
            return []
        case .started(let entries, let worker):
            return entries.flatMap { started($0, worker, attempt: $1) }
        case .overdue(let entries, let words):
            for entry in entries {
                if let name = name(of: entry), tasks[name]?.id == entry.id {
                    tasks[name]?.overdue = words
                }
            }
            return []
        case .progress(let entries):
            return entries.compactMap { entry, fraction in
                guard let name = name(of: entry), let task = tasks[name], task.id == entry.id
                else { return nil }
                return .tellProgress(task.entry, fraction)
            }
        case .withdrawn(let entries):
            for entry in entries where entry.id.life != life { earlier.withdrawn(entry) }
            return []
        case .ended(let task, let outcome): return ended(task, outcome, at: place)
        }
    }

    /// What a record's task is known by; a worker of an earlier version does not say its work.
    private func name(of entry: Record.Task) -> TaskName? {
        if !entry.name.work.isEmpty { return entry.name }
        return tasks.first { $0.key.key == entry.key && $0.value.id == entry.id }?.key
    }

    private mutating func started(
        _ entry: Record.Task,
        _ worker: WorkerIdentity,
        attempt: Int
    ) -> [Action] {
        guard let name = name(of: entry), let task = tasks[name], task.id == entry.id else {
            if entry.id.life != life { earlier.started(entry, worker, attempt: attempt) }
            return []
        }
        guard task.isOut else { return [] }
        tasks[name]?.runner = .init(worker: worker, attempt: attempt)
        return [.tellStarted(task.entry, worker, attempt: attempt)]
    }

    /// Takes an outcome, which is of one publication and settles no other.
    private mutating func ended(
        _ entry: Record.Task,
        _ outcome: TaskOutcome<Body>,
        at place: StreamPlace?
    ) -> [Action] {
        let known = name(of: entry).flatMap { name in tasks[name].map { (name, $0) } }
        if let (name, task) = known, task.id == entry.id {
            // One that is read again comes where it was asked for.
            guard task.state != .reading else { return [] }
            if task.isOut { outCount -= 1 }
            return settle(name, .ended(outcome.explained(by: task.overdue)))
        }
        // Of a task that this life has published too, an earlier life's outcome is late.
        let isLate = entry.id.life == life || known.map { $0.1.state != .parked } ?? false
        if isLate || !earlier.ended(entry, outcome, at: place) {
            // A task that was withdrawn has ended, and what comes of it is no duplicate.
            if case .stopped = outcome { return [] }
            counts.duplicateOutcomes += 1
        }
        return []
    }

    /// An outcome was read again.
    mutating func readAgain(_ name: TaskName, _ found: Record?) -> [Action] {
        guard let task = tasks[name], task.state == .reading else { return [] }
        guard case .ended(let entry, let outcome)? = found, entry.id == task.id else {
            // The stream does not have it any more.
            return publishAnew(task, name)
        }
        counts.knownOutcomes += 1
        return settle(name, .ended(outcome))
    }

    /// Ends a task.
    mutating func settle(_ name: TaskName, _ settlement: Settlement) -> [Action] {
        guard let task = tasks.removeValue(forKey: name) else { return [] }
        cancels.settled(name)
        return [.settle(task.entry, settlement)]
    }

    /// A task that the broker had is nobody's any more.
    mutating func withdraw(_ name: TaskName) -> (Record.Task, [Action])? {
        guard let task = tasks[name] else { return nil }
        outCount -= 1
        let record = Record.Task(name: name, id: task.id, digest: task.digest)
        return (record, settle(name, .ended(.stopped)))
    }
}
