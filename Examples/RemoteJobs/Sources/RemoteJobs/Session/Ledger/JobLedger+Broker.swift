/// Handles events from the broker.
extension JobLedger {
    /// Publishes the parked tasks of a route, because its queues have been declared.
    mutating func routeDeclared(_ route: Name) {
        boundRoutes.insert(route)
        for name in parked.removeValue(forKey: route) ?? [] where tasks[name]?.state == .parked {
            tasks[name]?.state = .waiting
            waiting.append(name)
        }
    }

    /// Opens the ledger.
    ///
    /// This connection's own marker was read, so everything before it is known.
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
                // The broker may have it, so its cancellation is sent.
                tasks[name]?.state = .queued
                tasks[name]?.isInDoubt = false
                cancels.add(name)
            } else if task.isInDoubt {
                // Its publication may have been lost and has no outcome, so it is published again.
                waiting.append(name)
            }
        }
        return cancels.hasWaiting ? actions + [.cancelSoon] : actions
    }

    /// Resets the state of the connection after it was lost.
    mutating func connectionLost() {
        isOpen = false
        unconfirmedCount = 0
        cancels.connectionLost()
        for (name, task) in tasks where task.state == .publishing {
            tasks[name]?.state = .waiting
            tasks[name]?.isInDoubt = true
        }
    }

    /// Handles the broker's answer to a publication.
    ///
    /// If the broker does not have the task, the task is published again once its route's queues
    /// have been declared again.
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

    /// Handles a record from the stream.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - place: Its position in the stream, or nil if it cannot be read there again.
    /// - Returns: The actions to carry out.
    mutating func read(_ record: Record, at place: StreamPlace? = nil) -> [Action] {
        switch record {
        case .seen: return []
        case .life(let mark):
            // A mark is the name of a run, a dot, and the number of its connection.
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

    /// The name of a record's task.
    ///
    /// Workers of an earlier version do not write its work.
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

    /// Handles an outcome, which settles only its own publication.
    private mutating func ended(
        _ entry: Record.Task,
        _ outcome: TaskOutcome<Body>,
        at place: StreamPlace?
    ) -> [Action] {
        let known = name(of: entry).flatMap { name in tasks[name].map { (name, $0) } }
        if let (name, task) = known, task.id == entry.id {
            // An outcome that is read again arrives where it was requested.
            guard task.state != .reading else { return [] }
            if task.isOut { outCount -= 1 }
            return settle(name, .ended(outcome.explained(by: task.overdue)))
        }
        // If this run has published the task too, an outcome of an earlier run is late.
        let isLate = entry.id.life == life || known.map { $0.1.state != .parked } ?? false
        if isLate || !earlier.ended(entry, outcome, at: place) {
            // A withdrawn task has already ended, so a further outcome is not a duplicate.
            if case .stopped = outcome { return [] }
            counts.duplicateOutcomes += 1
        }
        return []
    }

    /// Settles a task with its outcome, which has been read again.
    mutating func readAgain(_ name: TaskName, _ found: Record?) -> [Action] {
        guard let task = tasks[name], task.state == .reading else { return [] }
        guard case .ended(let entry, let outcome)? = found, entry.id == task.id else {
            // The stream no longer contains it.
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

    /// Removes a task of the broker, because no worker has it.
    mutating func withdraw(_ name: TaskName) -> (Record.Task, [Action])? {
        guard let task = tasks[name] else { return nil }
        outCount -= 1
        let record = Record.Task(name: name, id: task.id, digest: task.digest)
        return (record, settle(name, .ended(.stopped)))
    }
}
