import Foundation

/// Something that happened to an operation that an observed job tracks, or to the job itself.
public struct JobEvent: Sendable {
    /// What happened; the events of one operation come in this order.
    public enum Kind: Hashable, Sendable {
        /// A job began to track the operation.
        case tracked
        /// The operation was started; told of every ``ConcurrentOperation``, and of other
        /// operations on a ``TaskQueue``.
        case started
        /// The operation has finished; its callbacks come next.
        case finished
        /// The operation's callbacks have returned.
        case delivered
    }

    /// What happened.
    public let kind: Kind
    /// The operation's number, unique in the process.
    public let operationID: Int
    /// The number of the job that tracks it; nil for the job that is observed.
    public let parentID: Int?
    /// The operation's name, or its type's.
    public let name: String
    /// The operation's dynamic type.
    public let type: Operation.Type
    /// How the operation ended; nil but for ``Kind/finished``.
    ///
    /// An `Operation` of Foundation's cannot fail: it was cancelled, or has succeeded.
    public let outcome: OperationOutcome?
    /// When it happened.
    public let instant: ContinuousClock.Instant

    /// The operation in whose callback this one was tracked; of ``Kind/tracked``.
    let causeID: Int?
    /// The operations that this one depended on, or waited for by its stage; of ``Kind/started``.
    let dependencyIDs: [Int]

    init(
        _ kind: Kind,
        of operation: Operation,
        parentID: Int?,
        causeID: Int? = nil,
        dependencyIDs: [Int] = []
    ) {
        self.kind = kind
        self.parentID = parentID
        self.causeID = causeID
        self.dependencyIDs = dependencyIDs
        operationID = operation.eventID
        name = operationLabel(operation)
        type = Swift.type(of: operation)
        outcome = kind == .finished ? Self.outcome(of: operation) : nil
        instant = .now
    }

    private static func outcome(of operation: Operation) -> OperationOutcome? {
        guard let concurrent = operation as? ConcurrentOperation else {
            return operation.isCancelled ? .cancelled : .succeeded
        }
        return concurrent.outcome
    }
}
