/// Decides about all tasks that one worker holds.
///
/// A task is waiting, running, ended (its outcome is under way), and then removed. It is identified
/// by its publication. Therefore, it is not run again if it is delivered again during its run or
/// later.
struct WorkerLedger<Work> {
    /// Identifies a delivery on its connection.
    struct Tag: Hashable, Sendable {
        /// The number of the consumer that received it, or 0 for the consumer of suspects.
        var source: Int
        var number: UInt64
        var isSuspect: Bool { source == 0 }
    }

    enum Action {
        case run(PublicationID, Work, attempt: Int)
        /// Write the task's outcome, which ``WorkerLoop`` keeps.
        case publish(PublicationID)
        case acknowledge(Tag)
        /// Write that the task is abandoned as undeliverable, then acknowledge it.
        case giveUp(Tag, Work)
        /// Return the task, so that another worker takes it.
        case handBack(Tag, Work)
        case cancel(PublicationID)
    }

    private enum State {
        case waiting
        case running
        case ended
    }

    private struct Held {
        let work: Work
        let attempt: Int
        var state: State
        var tag: Tag?
    }

    /// How many ended tasks are remembered.
    static var finishedMemory: Int { 10_000 }
    /// How many cancellations are remembered.
    static var cancelMemory: Int { 1_000_000 }
    /// How many controller runs of removed jobs are remembered.
    static var removalMemory: Int { 10_000 }

    private let width: Int
    private var held: [PublicationID: Held] = [:]
    private var waiting = Turns<PublicationID>()
    private var runningCount = 0
    private var finished = RecentSet<PublicationID>(capacity: finishedMemory)
    private var cancelled = RecentSet<PublicationID>(capacity: cancelMemory)
    private var removedLives = RecentSet<Name>(capacity: removalMemory)
    private(set) var isDraining = false

    init(width: Int) {
        self.width = width
    }

    /// Whether nothing runs and no outcome is under way.
    var isIdle: Bool { held.isEmpty }
    /// Whether nothing runs.
    var isQuiet: Bool { runningCount == 0 }
    /// Whether another task could run.
    var hasRoom: Bool { runningCount < width }

    /// Handles a task from the broker.
    ///
    /// - Parameters:
    ///   - id: Its publication.
    ///   - work: The task.
    ///   - job: Its job, which takes turns with others.
    ///   - priority: The priority of its job, 0 to 9.
    ///   - attempt: The number of the delivery, from 1.
    ///   - limit: The highest number of redeliveries.
    ///   - tag: Identifies the delivery for its acknowledgement.
    /// - Returns: The actions to carry out.
    mutating func delivered(
        _ id: PublicationID,
        _ work: Work,
        of job: Name = "",
        priority: Int = 0,
        attempt: Int,
        limit: Int,
        tag: Tag
    ) -> [Action] {
        if let known = held[id] {
            // The tag of the first delivery is still valid, so this delivery is a copy.
            guard known.tag == nil else { return [.acknowledge(tag)] }
            held[id]?.tag = tag
            return []
        }
        if finished.contains(id) || isUnwanted(id) { return [.acknowledge(tag)] }
        if isDraining { return [.handBack(tag, work)] }
        if attempt > limit + 1 { return [.giveUp(tag, work)] }
        held[id] = Held(work: work, attempt: attempt, state: .waiting, tag: tag)
        waiting.append(id, of: job, priority: priority)
        return startWaiting()
    }

    /// Ends the run of a task and publishes its outcome.
    mutating func runEnded(_ id: PublicationID) -> [Action] {
        guard held[id]?.state == .running else { return [] }
        runningCount -= 1
        held[id]?.state = .ended
        return [.publish(id)] + startWaiting()
    }

    /// Removes a task, because the broker has its outcome.
    mutating func outcomeConfirmed(_ id: PublicationID) -> [Action] {
        guard let task = held[id], task.state == .ended else { return [] }
        held[id] = nil
        finished.insert(id)
        return task.tag.map { [.acknowledge($0)] } ?? []
    }

    /// Handles the loss of the connection, or a pause of the process so long that it must be lost.
    ///
    /// Waiting tasks are dropped, because the broker has given them to another worker.
    mutating func connectionLost() {
        for id in waiting.takeAll() where held[id]?.state == .waiting { held[id] = nil }
        for id in held.keys { held[id]?.tag = nil }
    }

    /// Handles the end of a consumer.
    ///
    /// Its deliveries can no longer be acknowledged.
    ///
    /// - Returns: Its running tasks.
    mutating func sourceLost(_ source: Int) -> [Work] {
        var running: [Work] = []
        for (id, task) in held where task.tag?.source == source {
            switch task.state {
            case .waiting: held[id] = nil
            case .running:
                running.append(task.work)
                held[id]?.tag = nil
            case .ended: held[id]?.tag = nil
            }
        }
        return running
    }

    /// Publishes outcomes again that were under way when the connection was lost.
    mutating func connected() -> [Action] {
        held.filter { $0.value.state == .ended }.map { .publish($0.key) }
    }

    /// Stops tasks that their controllers have cancelled.
    mutating func cancelsRead(_ ids: [PublicationID]) -> [Action] {
        for id in ids { cancelled.insert(id) }
        return ids.flatMap { stop($0) }
    }

    /// Stops the tasks of removed jobs, identified by their controller runs.
    mutating func livesRemoved(_ lives: [Name]) -> [Action] {
        for life in lives { removedLives.insert(life) }
        return held.keys.filter { lives.contains(Name($0.life)) }.flatMap { stop($0) }
    }

    private func isUnwanted(_ id: PublicationID) -> Bool {
        cancelled.contains(id) || removedLives.contains(Name(id.life))
    }

    /// Stops a task that is no longer needed, if the worker holds it.
    private mutating func stop(_ id: PublicationID) -> [Action] {
        guard let task = held[id] else { return [] }
        switch task.state {
        case .waiting:
            held[id] = nil
            return task.tag.map { [.acknowledge($0)] } ?? []
        case .running: return [.cancel(id)]
        case .ended: return []
        }
    }

    /// Makes the worker take no more tasks.
    mutating func drainRequested() -> [Action] {
        isDraining = true
        let ids = waiting.takeAll().filter { held[$0]?.state == .waiting }
        return ids.compactMap { id in
            guard let task = held.removeValue(forKey: id), let tag = task.tag else { return nil }
            return .handBack(tag, task.work)
        }
    }

    private mutating func startWaiting() -> [Action] {
        var actions: [Action] = []
        while runningCount < width, let id = waiting.next() {
            guard let task = held[id], task.state == .waiting else { continue }
            held[id]?.state = .running
            runningCount += 1
            actions.append(.run(id, task.work, attempt: task.attempt))
        }
        return actions
    }
}

extension WorkerLedger.Action: Equatable where Work: Equatable {}

/// A set that forgets its oldest members.
struct RecentSet<Member: Hashable> {
    private let capacity: Int
    private var members: Set<Member> = []
    private var order: [Member] = []
    private var oldest = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    func contains(_ member: Member) -> Bool { members.contains(member) }

    mutating func insert(_ member: Member) {
        guard members.insert(member).inserted else { return }
        if order.count < capacity {
            order.append(member)
        } else {
            members.remove(order[oldest])
            order[oldest] = member
            oldest = (oldest + 1) % capacity
        }
    }
}
