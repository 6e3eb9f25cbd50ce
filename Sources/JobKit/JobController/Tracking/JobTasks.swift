import Foundation
import Synchronization

/// The tasks that a job has not delivered, and how many it has had.
struct JobTasks {
    private var list = TaskList()
    /// The undelivered tasks that several jobs track, or that are no ``ConcurrentOperation``.
    private var undelivered: Set<ObjectIdentifier> = []
    private(set) var trackedCount = 0
    /// How many tasks were delivered or discarded.
    private(set) var endedCount = 0

    var isEmpty: Bool { list.isEmpty }

    /// All records, in the order tracked.
    var records: [TaskRecord] { list.records }

    /// The records of the tasks that the job waits for.
    var awaited: [TaskRecord] { list.records.filter(\.isAwaited) }

    /// The tasks, in the order tracked.
    var operations: [Operation] { list.records.compactMap(\.task) }

    /// The record behind another that has not left, or the first; nil at the end.
    func record(after record: TaskRecord?) -> TaskRecord? { list.record(after: record) }

    // MARK: Records

    @inline(__always)
    mutating func append(_ record: TaskRecord) {
        list.append(record)
        trackedCount += 1
    }

    /// A task was delivered or discarded.
    @inline(__always)
    mutating func taskEnded(_ record: TaskRecord) {
        list.remove(record)
        endedCount += 1
    }

    mutating func removeAll(but kept: TaskRecord? = nil) -> [TaskRecord] {
        list.removeAll(but: kept)
    }

    // MARK: Tracked twice

    /// Notes that a task is not delivered; returns false if it was noted already.
    ///
    /// A ``ConcurrentOperation`` itself keeps the first job that tracks it.
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

    /// The address of the shell: unique among the jobs that live.
    private static func identity(of record: TaskRecord) -> UInt {
        UInt(bitPattern: ObjectIdentifier(record.shell))
    }
}
