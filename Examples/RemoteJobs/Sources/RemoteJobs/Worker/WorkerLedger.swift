/// Decides about all tasks that one worker holds.
///
/// waiting → running → ended (its outcome is on its way) → gone. A task is known by its
/// publication, so that one that comes again while it runs, or after, is not run again.
struct WorkerLedger<Work> {
    /// By what the broker knows a delivery; good on the connection that it came on.
    struct Tag: Hashable, Sendable {
        /// The number of the consumer that it came to; 0 for the suspects'.
        var source: Int
        var number: UInt64
        var isSuspect: Bool { source == 0 }
    }

    enum Action {
        case run(PublicationID, Work, attempt: Int)
        /// Write the outcome of a task, which the shell keeps.
        case publish(PublicationID)
        case acknowledge(Tag)
        /// Write that the task is given up, then acknowledge it.
        case giveUp(Tag, Work)
        /// Let another worker have the task.
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

    /// How many tasks that have ended are remembered.
    static var finishedMemory: Int { 10_000 }
    /// How many cancels are remembered.
    static var cancelMemory: Int { 1_000_000 }
    /// How many lives of removed jobs are remembered.
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

    /// Whether nothing runs and no outcome is on its way.
    var isIdle: Bool { held.isEmpty }
    /// Whether nothing runs.
    var isQuiet: Bool { runningCount == 0 }
    /// Whether one more could run.
    var hasRoom: Bool { runningCount < width }

    /// A task came from the broker.
    ///
    /// - Parameters:
    ///   - id: Its publication.
    ///   - work: What it is.
    ///   - job: Its job, which takes turns with others.
    ///   - priority: Its job's priority, 0 to 9.
    ///   - attempt: Which delivery it is, from 1.
    ///   - limit: How often it may be delivered again.
    ///   - tag: By what it is acknowledged.
    /// - Returns: What is to be done.
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
            // The same delivery's older tag is still good: this one is a copy.
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

    /// A task's work has ended.
    mutating func runEnded(_ id: PublicationID) -> [Action] {
        guard held[id]?.state == .running else { return [] }
        runningCount -= 1
        held[id]?.state = .ended
        return [.publish(id)] + startWaiting()
    }

    /// The broker has a task's outcome.
    mutating func outcomeConfirmed(_ id: PublicationID) -> [Action] {
        guard let task = held[id], task.state == .ended else { return [] }
        held[id] = nil
        finished.insert(id)
        return task.tag.map { [.acknowledge($0)] } ?? []
    }

    /// The connection has gone, or the process was stopped for so long that it must have.
    ///
    /// What waits is dropped: the broker has given it to somebody else.
    mutating func connectionLost() {
        for id in waiting.takeAll() where held[id]?.state == .waiting { held[id] = nil }
        for id in held.keys { held[id]?.tag = nil }
    }

    /// A consumer has ended, and what came to it cannot be acknowledged any more.
    ///
    /// - Returns: What runs of it.
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

    /// There is a connection again: outcomes that were on their way are sent again.
    mutating func connected() -> [Action] {
        held.filter { $0.value.state == .ended }.map { .publish($0.key) }
    }

    /// Tasks were cancelled by their controllers.
    mutating func cancelsRead(_ ids: [PublicationID]) -> [Action] {
        for id in ids { cancelled.insert(id) }
        return ids.flatMap { stop($0) }
    }

    /// Jobs were removed: what these lives of their controllers have published is not wanted.
    mutating func livesRemoved(_ lives: [Name]) -> [Action] {
        for life in lives { removedLives.insert(life) }
        return held.keys.filter { lives.contains(Name($0.life)) }.flatMap { stop($0) }
    }

    private func isUnwanted(_ id: PublicationID) -> Bool {
        cancelled.contains(id) || removedLives.contains(Name(id.life))
    }

    /// Stops a task that is not wanted any more, if it is held.
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

    /// The worker is to take no more.
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
