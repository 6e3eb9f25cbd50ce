import Foundation

/// The observers of a job.
struct JobObservers: Sendable {
    /// An observer that receives the events of the job's tasks.
    struct Entry: Sendable {
        let observer: any JobObserver
        /// The number of the job that it was added to.
        var rootID: Int
        /// How many observers the job had got when it got this one.
        let number: Int32
        /// Whether the observer is also notified of tasks that were tracked before it came.
        ///
        /// If so, it was added before the job began, or already observed the job that tracks it.
        let isComplete: Bool

        /// Whether it must still be notified that a task is tracked, of which `number` was the newest
        /// observer that was notified.
        func isPending(after number: Int32) -> Bool { isComplete && self.number > number }
    }

    /// How a job has got an observer.
    private struct Route {
        /// The job's record in the job that passes the observer on, or nil if the observer was
        /// added to the job itself.
        let source: ObjectIdentifier?
        let rootID: Int
    }

    /// An observer with the number of the job that it was added to, or nil to remove it.
    typealias Change = (observer: any JobObserver, rootID: Int?)

    /// The observers added to the job itself and to its ancestors, in order, each of them once.
    private(set) var entries: [Entry] = []
    /// The routes of each observer, of which the first one counts.
    private var routes: [ObjectIdentifier: [Route]] = [:]
    /// The number of the newest observer.
    private(set) var lastNumber: Int32 = 0
    /// When the job itself was started.
    private(set) var startTime = EventTime.unknown
    /// The operation of the current or last callback.
    private(set) var causeID: Int?
    /// The drops that wait for threads that are notifying observers of a task, by its record.
    private var drops: [ObjectIdentifier: [WaitGroup]] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// The number of the job that an observer was added to, or nil if it does not observe this job.
    func rootID(of observer: any JobObserver) -> Int? {
        routes[ObjectIdentifier(observer)]?.first?.rootID
    }

    /// The observers to notify of a task's event.
    ///
    /// Those that were not notified that the task is tracked receive no `.delivered`, so that its
    /// events add up.
    ///
    /// - Parameters:
    ///   - kind: The event.
    ///   - number: The number of the newest observer that was notified that the task is tracked.
    /// - Returns: The observers.
    @inline(__always)
    func recipients(of kind: JobEvent.Kind, after number: Int32) -> [Entry] {
        guard kind == .delivered, number < lastNumber else { return entries }
        return entries.filter { !$0.isPending(after: number) }
    }

    /// Adds and removes observers that the job gets from one source.
    ///
    /// An observer stays until it was removed from its last source. One that was added to the job
    /// itself also receives the job's own start and finish.
    ///
    /// - Returns: The observers that the job must pass on to its tasks.
    mutating func change(
        _ changes: [Change],
        from source: ObjectIdentifier?,
        isComplete: Bool
    ) -> [any JobObserver] {
        var changed: [any JobObserver] = []
        var updatesEntries = false
        for (observer, rootID) in changes {
            let (id, before) = (ObjectIdentifier(observer), self.rootID(of: observer))
            var all = routes[id, default: []].filter { $0.source != source }
            if let rootID {
                all.insert(Route(source: source, rootID: rootID), at: source == nil ? 0 : all.count)
            }
            routes[id] = all.isEmpty ? nil : all
            guard before != all.first?.rootID else { continue }
            changed.append(observer)
            if before == nil, let root = all.first?.rootID {
                lastNumber += 1
                entries.append(
                    Entry(
                        observer: observer,
                        rootID: root,
                        number: lastNumber,
                        isComplete: isComplete
                    )
                )
            } else {
                updatesEntries = true
            }
        }
        if updatesEntries {
            entries = entries.compactMap { entry in
                guard let root = rootID(of: entry.observer) else { return nil }
                var entry = entry
                entry.rootID = root
                return entry
            }
        }
        return changed
    }

    // MARK: The job

    mutating func jobStarted(at time: EventTime) { startTime = time }

    /// Records the operation of the callbacks that are about to be called.
    @inline(__always)
    mutating func callbackBegins(of message: JobState.Message) {
        guard !isEmpty else { return }
        causeID =
            message.withRecord { $0.concurrentTask?.eventNumber ?? $0.task?.operationID } ?? nil
    }

    // MARK: Drops

    /// Makes a drop wait for another thread that is notifying observers of a task.
    mutating func await(_ drop: WaitGroup, of record: TaskRecord) {
        drop.enter()
        drops[ObjectIdentifier(record), default: []].append(drop)
    }

    /// Takes the drops that waited for notifications of a task, which are complete now.
    mutating func takeDrops(of record: TaskRecord) -> [WaitGroup] {
        drops.isEmpty ? [] : drops.removeValue(forKey: ObjectIdentifier(record)) ?? []
    }
}
