import Foundation
import Synchronization

/// The undelivered tasks of a job, and how many it has had in total.
struct JobTasks {
    private var list = TaskList()
    /// The undelivered tasks that several jobs track, or that are not a ``ConcurrentOperation``.
    private var undelivered: Set<ObjectIdentifier> = []
    private(set) var trackedCount = 0
    /// How many tasks were delivered or discarded.
    private(set) var endedCount = 0

    var isEmpty: Bool { list.isEmpty }

    /// All records, in the order in which their tasks were tracked.
    var records: [TaskRecord] { list.records }

    /// The records of the tasks that the job waits for.
    var awaited: [TaskRecord] { list.records.filter(\.isAwaited) }

    /// The tasks, in the order in which they were tracked.
    var operations: [Operation] { list.records.compactMap(\.task) }

    /// The record after another one that is in the list, or the first one, or nil at the end.
    func record(after record: TaskRecord?) -> TaskRecord? { list.record(after: record) }

    // MARK: Records

    @inline(__always)
    mutating func append(_ record: TaskRecord) {
        list.append(record)
        trackedCount += 1
    }

    /// Removes a task that was delivered or discarded.
    @inline(__always)
    mutating func taskEnded(_ record: TaskRecord) {
        list.remove(record)
        endedCount += 1
    }

    mutating func removeAll(but kept: TaskRecord? = nil) -> [TaskRecord] {
        list.removeAll(but: kept)
    }

    // MARK: Tracked twice

    /// Marks a task as undelivered, or returns false if it already was.
    ///
    /// The first job that tracks a ``ConcurrentOperation`` is stored in the operation itself.
    @inline(__always)
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

    @inline(__always)
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
