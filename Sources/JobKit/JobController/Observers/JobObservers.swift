import Synchronization

/// The observers of a job.
struct JobObservers: Sendable {
    /// An observer, and the job that it was added to.
    struct Entry: Sendable {
        let observer: any JobObserver
        let rootID: Int
    }

    /// Those added to the job itself and to jobs above it, as they came; each observer once.
    private(set) var entries: [Entry] = []
    /// The index of each of the first entries, as many as lookups have needed; empty while they are
    /// few.
    private var indices: [ObjectIdentifier: Int] = [:]
    /// How many of the first entries are notified of tasks that were tracked before they came: the
    /// job had not begun, or came under observation with its tasks.
    private(set) var completeCount = 0
    /// When the job itself was started.
    private(set) var startTime = EventTime.unknown
    /// The operation whose callback is running or was the last.
    private(set) var causeID: Int?

    /// What waits for the threads that are notifying observers of a task, by the task's record.
    private var leaves: [ObjectIdentifier: [ObserversLeave]] = [:]

    /// Up to so many observers are searched one by one.
    private static let few = 8

    var isEmpty: Bool { entries.isEmpty }

    /// Adds an observer to the job itself: it is notified of the job's own start and finish too.
    mutating func add(_ observer: any JobObserver, rootID: Int, isComplete: Bool) {
        let entry = Entry(observer: observer, rootID: rootID)
        if let index = index(of: observer) { entries[index] = entry } else { entries.append(entry) }
        if isComplete { completeCount = entries.count }
    }

    /// Adds those of a job above; returns whether the job did not have all of them.
    mutating func inherit(_ inherited: [Entry], isComplete: Bool) -> Bool {
        let before = entries.count
        if entries.isEmpty, inherited.count <= Self.few {
            // The array of the job above, for nothing.
            entries = inherited
        } else {
            for entry in inherited where index(of: entry.observer) == nil { entries.append(entry) }
        }
        if isComplete { completeCount = entries.count }
        return entries.count > before
    }

    /// Removes observers; returns where they stood.
    mutating func remove(_ leaving: Set<ObjectIdentifier>) -> [Int] {
        let removed = entries.indices.filter {
            leaving.contains(ObjectIdentifier(entries[$0].observer))
        }
        guard !removed.isEmpty else { return [] }
        completeCount -= removed.count { $0 < completeCount }
        entries.removeAll { leaving.contains(ObjectIdentifier($0.observer)) }
        indices = [:]
        return removed
    }

    /// The entry of an observer; nil if it observes neither the job nor one above it.
    func entry(of observer: any JobObserver) -> Entry? {
        entries.first { $0.observer === observer }
    }

    /// Replaces the entries of observers that are here; returns whether some were.
    mutating func replace(_ replacing: [Entry]) -> Bool {
        for entry in replacing {
            guard let index = index(of: entry.observer) else { continue }
            entries[index] = entry
        }
        return !replacing.isEmpty
    }

    // MARK: The job

    mutating func jobStarted(at time: EventTime) { startTime = time }

    /// The callbacks of mail are about to be called.
    @inline(__always)
    mutating func callbackBegins(of mail: JobState.Mail) {
        guard !isEmpty else { return }
        causeID =
            mail.withRecord { $0.concurrentTask?.eventNumber ?? $0.task?.operationID } ?? nil
    }

    // MARK: Leaving

    /// Observers have left while another thread is notifying observers of a task.
    mutating func await(_ leave: ObserversLeave, of record: TaskRecord) {
        leave.expect()
        leaves[ObjectIdentifier(record), default: []].append(leave)
    }

    /// No thread is notifying observers of a task any longer.
    mutating func takeLeaves(of record: TaskRecord) -> [ObserversLeave] {
        leaves.removeValue(forKey: ObjectIdentifier(record)) ?? []
    }

    // MARK: Indices

    /// The entries that are notified of a task's tracking before anything else; the first `aware`
    /// know of it.
    func unaware(behind aware: Int) -> Range<Int> {
        aware < completeCount ? aware..<completeCount : 0..<0
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

/// The observers of a job leave a nested one: calls a closure when no thread is notifying them of
/// something below it.
final class ObserversLeave: Sendable {
    private let remaining = Atomic<Int>(1)
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Another thread is notifying them of one more task.
    func expect() {
        remaining.add(1, ordering: .relaxed)
    }

    /// They were notified of one task, or have left all jobs.
    func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { body() }
    }
}
