import Foundation

/// An event of an operation that an observed job tracks, or of the job itself.
///
/// An event does not retain the operation.
public struct JobEvent: Sendable {
    /// The kind of an event.
    ///
    /// The events of one operation come in this order.
    public enum Kind: Hashable, Sendable {
        /// A job began to track the operation.
        case tracked
        /// The operation was started.
        ///
        /// Recorded for every ``ConcurrentOperation`` that enters `main()`, and for other
        /// operations on a ``TaskQueue``. Not recorded for an operation that was cancelled or had
        /// finished before its start.
        case started
        /// The operation has finished, and its callbacks come next.
        case finished
        /// The operation's callbacks have returned.
        case delivered
        /// The job no longer waits for the operation, and records no further events of it.
        ///
        /// The operation was cancelled before it started, or was left running when the job ended.
        case dropped
    }

    /// The kind of the event.
    public let kind: Kind
    /// The operation's `operationID`, which is unique in the process.
    public let operationID: Int
    /// The number of the job that tracks the operation, or nil for the job that is observed.
    public let parentID: Int?
    /// The number of the job that the observer was added to, at the top of the tree.
    public private(set) var rootID: Int
    /// The event's position in its stream, from 0, or nil for an observer.
    ///
    /// A gap between two events of ``JobController/events(bufferingNewest:)`` shows how many events
    /// were skipped.
    public private(set) var index: Int?
    /// How the operation ended, or nil unless the kind is ``Kind/finished``.
    ///
    /// A plain `Operation` cannot fail: it was cancelled or has succeeded.
    public let outcome: OperationOutcome?
    /// Whether the operation was abandoned, which only ``Kind/finished`` reports.
    ///
    /// An operation is abandoned if it was asked to stop, and its
    /// ``ConcurrentOperation/maximumStopTime`` passed.
    public private(set) var isAbandoned = false
    /// The group in which the job tracks the operation, or nil for the job that is observed.
    public let group: JobGroup?

    let time: EventTime
    /// When the operation was started, for ``Kind/finished``.
    private(set) var startTime = EventTime.unknown
    /// The operation in whose callback this one was tracked, for ``Kind/tracked``.
    private(set) var causeID: Int?
    /// The operations that this one depended on, or that its stage waited for, for
    /// ``Kind/started``.
    private(set) var predecessorIDs: [Int] = []
    /// Other reasons why the operation may have waited, for ``Kind/started``.
    private(set) var startCauses = StartCauses()
    /// Whether a ``ConcurrentOperation`` ended without entering `main()`, for ``Kind/finished``.
    private(set) var hasNeverRun = false
    let operationName: OperationName

    /// The operation's name, or the name of its type.
    public var name: String { operationName.text }

    /// The operation's dynamic type.
    public var type: Operation.Type { operationName.type }

    /// How long the operation took, or nil unless it has finished and its start was recorded.
    public var duration: Duration? {
        startTime == .unknown ? nil : startTime.duration(to: time)
    }

    /// When the event happened.
    public var instant: ContinuousClock.Instant { time.instant }
}

extension JobEvent {
    /// Notifies each observer with the number of the job that it was added to.
    func post(to entries: [JobObservers.Entry], by job: JobController) {
        for entry in entries {
            // Usually all observers were added to the same job, so nothing is copied.
            if entry.rootID == rootID {
                entry.observer.job(job, didRecord: self)
            } else {
                var event = self
                event.rootID = entry.rootID
                entry.observer.job(job, didRecord: event)
            }
        }
    }

    /// Returns the event with its position in a stream.
    func at(index: Int) -> JobEvent {
        var event = self
        event.index = index
        return event
    }
}

/// Reasons why an operation may have waited before its start, except its dependencies.
struct StartCauses: Sendable {
    /// The number of the limited ``TaskQueue`` that runs it, or 0.
    var queueID = 0
    /// The last operation that ended on the worker thread that starts this one, or 0.
    var threadCauseID = 0
    /// The task that gave it its group permit, or 0.
    var groupCauseID = 0

    /// Collects the known causes for an operation that the calling thread starts.
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
