import Synchronization

/// The observers of a job.
struct JobObservers: Sendable {
    /// An observer and the number of the job that it was added to.
    struct Entry: Sendable {
        let observer: any JobObserver
        let rootID: Int
    }

    /// The observers added to the job itself and to its ancestors, in order, each of them once.
    private(set) var entries: [Entry] = []
    /// The indices of the first entries, as many as lookups have needed, or none while there are
    /// few.
    private var indices: [ObjectIdentifier: Int] = [:]
    /// How many of the first entries are also notified of tasks that were tracked before they came.
    ///
    /// These observers were added before the job began, or already observed the job that tracks it.
    private(set) var completeCount = 0
    /// When the job itself was started.
    private(set) var startTime = EventTime.unknown
    /// The operation of the current or last callback.
    private(set) var causeID: Int?

    /// The removals that wait for threads that are notifying observers of a task, by its record.
    private var removals: [ObjectIdentifier: [ObserverRemoval]] = [:]

    /// Up to this number, observers are searched one by one.
    private static let few = 8

    var isEmpty: Bool { entries.isEmpty }

    /// Adds an observer to the job itself, so it also receives the job's own start and finish.
    mutating func add(_ observer: any JobObserver, rootID: Int, isComplete: Bool) {
        let entry = Entry(observer: observer, rootID: rootID)
        if let index = index(of: observer) { entries[index] = entry } else { entries.append(entry) }
        if isComplete { completeCount = entries.count }
    }

    /// Adds the observers of an ancestor and returns whether the job lacked any of them.
    mutating func inherit(_ inherited: [Entry], isComplete: Bool) -> Bool {
        let before = entries.count
        for entry in inherited where index(of: entry.observer) == nil { entries.append(entry) }
        if isComplete { completeCount = entries.count }
        return entries.count > before
    }

    /// Removes observers and returns the indices that they had.
    mutating func remove(_ ids: Set<ObjectIdentifier>) -> [Int] {
        let removed = entries.indices.filter {
            ids.contains(ObjectIdentifier(entries[$0].observer))
        }
        guard !removed.isEmpty else { return [] }
        completeCount -= removed.count { $0 < completeCount }
        entries.removeAll { ids.contains(ObjectIdentifier($0.observer)) }
        indices = [:]
        return removed
    }

    /// Returns the entry of an observer, or nil if it observes neither the job nor an ancestor.
    func entry(of observer: any JobObserver) -> Entry? {
        entries.first { $0.observer === observer }
    }

    /// Replaces the entries of observers that are present.
    ///
    /// - Returns: Whether `replacing` had any entries.
    mutating func replace(_ replacing: [Entry]) -> Bool {
        for entry in replacing {
            guard let index = index(of: entry.observer) else { continue }
            entries[index] = entry
        }
        return !replacing.isEmpty
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

    // MARK: Leaving

    /// Makes a removal wait for another thread that is notifying observers of a task.
    mutating func await(_ removal: ObserverRemoval, of record: TaskRecord) {
        removal.expect()
        removals[ObjectIdentifier(record), default: []].append(removal)
    }

    /// Takes the removals that waited for notifications of a task, which are complete now.
    mutating func takeRemovals(of record: TaskRecord) -> [ObserverRemoval] {
        removals.removeValue(forKey: ObjectIdentifier(record)) ?? []
    }

    // MARK: Indices

    /// Returns the entries that were not notified of a task's tracking.
    ///
    /// - Parameter notified: How many of the entries were already notified of it.
    /// - Returns: Their indices.
    func pending(after notified: Int) -> Range<Int> {
        notified < completeCount ? notified..<completeCount : 0..<0
    }

    private mutating func index(of observer: any JobObserver) -> Int? {
        guard entries.count > Self.few else {
            return entries.firstIndex { $0.observer === observer }
        }
        for index in indices.count..<entries.count {
            indices[ObjectIdentifier(entries[index].observer)] = index
        }
        return indices[ObjectIdentifier(observer)]
    }
}

/// Waits while a job's observers are removed from a nested job.
///
/// Calls a closure once no thread is notifying them of an event below that job.
final class ObserverRemoval: Sendable {
    private let remaining = Atomic<Int>(1)
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Adds one more task, because another thread is notifying the observers of its event.
    func expect() {
        remaining.add(1, ordering: .relaxed)
    }

    /// Counts one task as complete, or the removal from all jobs.
    func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { body() }
    }
}
