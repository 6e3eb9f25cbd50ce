import Foundation

/// Something that happened to an operation that an observed job tracks, or to the job itself.
///
/// An event does not retain the operation.
public struct JobEvent: Sendable {
    /// What happened; the events of one operation come in this order.
    public enum Kind: Hashable, Sendable {
        /// A job began to track the operation.
        case tracked
        /// The operation was started; recorded for every ``ConcurrentOperation`` that enters
        /// `main()`, and for other operations on a ``TaskQueue``. Not recorded for an operation
        /// that was cancelled or had finished before its start.
        case started
        /// The operation has finished; its callbacks come next.
        case finished
        /// The operation's callbacks have returned.
        case delivered
        /// The job no longer waits for the operation, and records no further events of it. The
        /// operation was cancelled before it started, or was left running when the job ended.
        case dropped
    }

    /// What happened.
    public let kind: Kind
    /// The operation's number, unique in the process: its `operationID`.
    public let operationID: Int
    /// The number of the job that tracks it; nil for the job that is observed.
    public let parentID: Int?
    /// The number of the job that the observer was added to, at the top of the tree.
    public private(set) var rootID: Int
    /// The event's position in its stream, from 0, or nil for an observer.
    ///
    /// A gap between two events of ``JobController/events(bufferingNewest:)`` shows how many events
    /// were skipped.
    public private(set) var index: Int?
    /// How the operation ended; nil unless the kind is ``Kind/finished``.
    ///
    /// A plain `Operation` cannot fail: it was cancelled or has succeeded.
    public let outcome: OperationOutcome?
    /// Whether the operation was abandoned; false unless the kind is ``Kind/finished``.
    ///
    /// It was asked to stop, and its ``ConcurrentOperation/maximumStopTime`` passed.
    public private(set) var isAbandoned = false
    /// The group in which the job tracks the operation; nil for the job that is observed.
    public let group: JobGroup?

    let time: EventTime
    /// When the operation was started, of ``Kind/finished``.
    private(set) var startTime = EventTime.unknown
    /// The operation in whose callback this one was tracked; of ``Kind/tracked``.
    private(set) var causeID: Int?
    /// The operations that this one depended on, or waited for by its stage; of ``Kind/started``.
    private(set) var predecessorIDs: [Int] = []
    /// What else it may have waited for; of ``Kind/started``.
    private(set) var startCauses = StartCauses()
    /// Whether the operation has ended without its `main()` being entered; of ``Kind/finished``,
    /// for a ``ConcurrentOperation``.
    private(set) var hasNeverRun = false
    let operationName: OperationName

    /// The operation's name, or its type's.
    public var name: String { operationName.text }

    /// The operation's dynamic type.
    public var type: Operation.Type { operationName.type }

    /// How long the operation took; nil unless it has finished and its start was recorded.
    public var duration: Duration? {
        startTime == .unknown ? nil : startTime.duration(to: time)
    }

    /// When it happened.
    public var instant: ContinuousClock.Instant { time.instant }
}

extension JobEvent {
    /// Notifies observers, each with the job that it was added to.
    func post(to entries: some Sequence<JobObservers.Entry>, by job: JobController) {
        for entry in entries {
            // As a rule all have one: nothing is copied.
            if entry.rootID == rootID {
                entry.observer.job(job, didRecord: self)
            } else {
                entry.observer.job(job, didRecord: of(root: entry.rootID))
            }
        }
    }

    /// The event at a position of a stream.
    func at(index: Int) -> JobEvent {
        var event = self
        event.index = index
        return event
    }

    private func of(root rootID: Int) -> JobEvent {
        var event = self
        event.rootID = rootID
        return event
    }
}

/// What an operation may have waited for before its start, besides those that it depends on.
struct StartCauses: Sendable {
    /// The ``TaskQueue`` of limited width that it runs in, as a number; 0 for none.
    var queueID = 0
    /// The operation that ended last on the worker thread that starts it; 0 for none.
    var threadCauseID = 0
    /// The task that gave it its place in its group; 0 for none.
    var groupCauseID = 0

    /// What is known of an operation that the calling thread starts.
    init(of operation: Operation, groupCauseID: Int) {
        self.groupCauseID = groupCauseID
        let context = ThreadContext.current
        guard context.pointee.frame.isStartedByWorker, context.pointee.frame.isOf(operation) else {
            return
        }
        queueID = context.pointee.frame.limitedQueue
        threadCauseID = context.pointee.lastFinished
    }

    init() {}
}
