import Foundation
import Synchronization

/// The undelivered tasks of a job, and how many it has had in total.
///
/// The records are in a doubly linked list, in the order in which their tasks were tracked. The
/// list retains each record. The record that is removed is usually the first, and its neighbor is
/// used next. A record retains its job's shell, so a list with records in it is never lost.
struct JobTasks {
    private var first: Unmanaged<TaskRecord>?
    private var last: Unmanaged<TaskRecord>?
    /// The undelivered tasks that several jobs track, or that are not a ``ConcurrentOperation``.
    private var undelivered: Set<ObjectIdentifier> = []
    private(set) var trackedCount = 0
    /// How many tasks have finished.
    private(set) var finishedCount = 0
    /// How many of the finished tasks have failed.
    private(set) var failedCount = 0
    /// How many tasks were delivered or discarded.
    private(set) var endedCount = 0

    /// A record's links to its neighbors, which change them too.
    struct Links {
        fileprivate var previous: Unmanaged<TaskRecord>?
        fileprivate var next: Unmanaged<TaskRecord>?
        fileprivate var isTaken = false
    }

    var isEmpty: Bool { first == nil }

    /// All records, in the order in which their tasks were tracked.
    var records: [TaskRecord] {
        var records: [TaskRecord] = []
        while let record = record(after: records.last) { records.append(record) }
        return records
    }

    /// The records of the tasks that the job waits for.
    var awaited: [TaskRecord] { records.filter(\.isAwaited) }

    /// The tasks, in the order in which they were tracked.
    var operations: [Operation] { records.compactMap(\.task) }

    /// The record after another one that is in the list, or the first one, or nil at the end.
    func record(after record: TaskRecord?) -> TaskRecord? {
        (record.map { $0.links.next } ?? first)?.takeUnretainedValue()
    }

    // MARK: Records

    mutating func append(_ record: TaskRecord) {
        trackedCount += 1
        let node = Unmanaged.passRetained(record)
        record.links = Links(previous: last, isTaken: true)
        if let last {
            last._withUnsafeGuaranteedRef { $0.links.next = node }
        } else {
            first = node
        }
        last = node
    }

    mutating func taskFinished(hasFailed: Bool) {
        finishedCount += 1
        if hasFailed { failedCount += 1 }
    }

    /// Removes a task that was delivered or discarded.
    mutating func taskEnded(_ record: TaskRecord) {
        remove(record)
        endedCount += 1
    }

    mutating func removeAll(but kept: TaskRecord? = nil) -> [TaskRecord] {
        let records = records.filter { $0 !== kept }
        for record in records { remove(record) }
        return records
    }

    /// Removes a record, which the caller must retain, in constant time.
    private mutating func remove(_ record: TaskRecord) {
        let links = record.links
        guard links.isTaken else { return }
        record.links = Links()
        if let previous = links.previous {
            previous._withUnsafeGuaranteedRef { $0.links.next = links.next }
        } else {
            first = links.next
        }
        if let next = links.next {
            next._withUnsafeGuaranteedRef { $0.links.previous = links.previous }
        } else {
            last = links.previous
        }
        Unmanaged.passUnretained(record).release()
    }

    // MARK: Tracked twice

    /// Marks a task as undelivered, or returns false if it already was.
    ///
    /// The first job that tracks a ``ConcurrentOperation`` is stored in the operation itself.
    mutating func noteUndelivered(_ record: TaskRecord, _ task: Operation) -> Bool {
        let id = ObjectIdentifier(task)
        guard !undelivered.contains(id) else { return false }
        if record.isConcurrent {
            let job = Self.identity(of: record)
            let concurrent = unsafeDowncast(task, to: ConcurrentOperation.self)
            let (isNoted, other) = concurrent.trackingJob.compareExchange(
                expected: 0,
                desired: job,
                ordering: .acquiringAndReleasing
            )
            if isNoted { return true }
            if other == job { return false }
        }
        undelivered.insert(id)
        return true
    }

    mutating func forgetUndelivered(_ record: TaskRecord) {
        let isForgotten = record.unretainedTask?
            ._withUnsafeGuaranteedRef { task in
                task.trackingJob
                    .compareExchange(
                        expected: Self.identity(of: record),
                        desired: 0,
                        ordering: .acquiringAndReleasing
                    )
                    .exchanged
            }
        guard isForgotten != true, let id = record.task.map({ ObjectIdentifier($0) }) else {
            return
        }
        undelivered.remove(id)
    }

    /// The address of the shell, which is unique among living jobs.
    private static func identity(of record: TaskRecord) -> UInt {
        UInt(bitPattern: ObjectIdentifier(record.shell))
    }
}
