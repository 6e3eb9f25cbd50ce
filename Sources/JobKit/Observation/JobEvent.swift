import Foundation

/// Something that happened to an operation that an observed job tracks, or to the job itself.
///
/// An event does not retain the operation.
public struct JobEvent: Sendable {
    /// What happened; the events of one operation come in this order.
    public enum Kind: Hashable, Sendable {
        /// A job began to track the operation.
        case tracked
        /// The operation was started; recorded for every ``ConcurrentOperation``, and for other
        /// operations on a ``TaskQueue``.
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
    public private(set) var kind: Kind
    /// The operation's number, unique in the process: its `operationID`.
    public let operationID: Int
    /// The number of the job that tracks it; nil for the job that is observed.
    public let parentID: Int?
    /// The number of the job that the observer was added to, at the top of the tree.
    public private(set) var rootID: Int
    /// How the operation ended; nil unless the kind is ``Kind/finished``.
    ///
    /// A plain `Operation` cannot fail: it was cancelled or has succeeded.
    public private(set) var outcome: OperationOutcome?
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
    private(set) var place = StartPlace()
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
    /// An event of the job that is observed.
    init(_ kind: Kind, ofObserved job: JobController, startTime: EventTime, time: EventTime) {
        self.init(
            kind: kind,
            operationID: job.eventNumber,
            parentID: nil,
            rootID: job.eventNumber,
            outcome: kind == .finished ? job.outcome : nil,
            group: nil,
            time: time,
            startTime: kind == .finished ? startTime : .unknown,
            operationName: OperationName(of: job)
        )
    }

    /// What precedes this event for those who do not know yet that the operation is tracked.
    var tracking: JobEvent {
        var event = self
        event.kind = .tracked
        event.startTime = .unknown
        event.outcome = nil
        event.predecessorIDs = []
        event.place = StartPlace()
        return event
    }

    /// Tells observers, each with the job that it was added to.
    func tell(_ entries: some Sequence<JobObservers.Entry>, by job: JobController) {
        for entry in entries {
            // As a rule all have one: nothing is copied.
            if entry.rootID == rootID {
                entry.observer.job(job, didRecord: self)
            } else {
                entry.observer.job(job, didRecord: of(root: entry.rootID))
            }
        }
    }

    private func of(root rootID: Int) -> JobEvent {
        var event = self
        event.rootID = rootID
        return event
    }
}
