import Synchronization

/// The observers of a job.
struct JobObservers: Sendable {
    /// An observer, and how the job has got it.
    struct Entry: Sendable {
        let observer: any JobObserver
        /// The number of the job that it was added to.
        let rootID: Int
        /// The job's record in the job that passes the observer on.
        ///
        /// Nil if it was added to the job itself.
        var source: ObjectIdentifier?
    }

    /// The observers added to the job itself and to its ancestors, in order, each of them once.
    private(set) var entries: [Entry] = []
    /// Further entries of the observers that the job has got from several sources.
    private var others: [ObjectIdentifier: [Entry]] = [:]
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

    /// Adds observers from one source, and returns those that the job must pass on.
    ///
    /// An observer that was added to the job itself also receives the job's own start and finish.
    mutating func add(_ added: [Entry], isComplete: Bool) -> [Entry] {
        var changed: [Entry] = []
        for entry in added {
            if let index = index(of: entry.observer) {
                var all = sources(of: index).filter { $0.source != entry.source }
                all.insert(entry, at: entry.source == nil ? 0 : all.count)
                if set(all, at: index) { changed.append(entries[index]) }
            } else {
                entries.append(entry)
                changed.append(entry)
            }
        }
        if isComplete { completeCount = entries.count }
        return changed
    }

    /// The consequences of a removal.
    struct Removed {
        /// The entries of the observers that the job no longer has.
        var entries: [Entry] = []
        /// Their indices before the removal.
        var indices: [Int] = []
        /// The entries of observers that the job still has from another source.
        var replaced: [Entry] = []
    }

    /// Removes observers that the job has got from one source.
    mutating func remove(_ removed: [Entry], from source: ObjectIdentifier?) -> Removed {
        var result = Removed()
        for entry in removed {
            guard let index = index(of: entry.observer) else { continue }
            let all = sources(of: index).filter { $0.source != source }
            if all.isEmpty {
                result.entries.append(entry)
                result.indices.append(index)
            } else if set(all, at: index) {
                result.replaced.append(entries[index])
            }
        }
        guard !result.indices.isEmpty else { return result }
        let gone = Set(result.indices)
        completeCount -= gone.count { $0 < completeCount }
        entries = entries.indices.filter { !gone.contains($0) }.map { entries[$0] }
        indices = [:]
        return result
    }

    /// All entries of one observer, of which the first one counts.
    private func sources(of index: Int) -> [Entry] {
        [entries[index]] + others[ObjectIdentifier(entries[index].observer), default: []]
    }

    /// Changes the entries of one observer, and returns whether its events have another root now.
    private mutating func set(_ all: [Entry], at index: Int) -> Bool {
        let id = ObjectIdentifier(entries[index].observer)
        others[id] = all.count > 1 ? Array(all.dropFirst()) : nil
        defer { entries[index] = all[0] }
        return entries[index].rootID != all[0].rootID
    }

    /// Returns the entry of an observer, or nil if it observes neither the job nor an ancestor.
    func entry(of observer: any JobObserver) -> Entry? {
        entries.first { $0.observer === observer }
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
