import Foundation

// The compiler does not check classes with subclasses. The operation's lock guards the variable.
/// Is notified of the start and the completion of one operation: for example, a job's task record.
///
/// This is a class and not a protocol for speed, because each task calls it several times.
class OperationListener: CallbackDelivery, @unchecked Sendable {
    /// Whether the listener is notified of the operation's completion.
    enum Listening {
        case notYet
        case now
        case noLonger
    }

    /// Guarded by the operation's lock.
    final var listening = Listening.notYet

    /// The context in which the operation must run, or nil for none.
    var context: OperationContext? { nil }

    /// The job that waits for the operation, from the job's start to its finish.
    var waitingJob: ConcurrentOperation? { nil }

    /// The job that tracks the operation, started or not, until the job's finish.
    var knownJob: ConcurrentOperation? { nil }

    /// Called before the operation starts.
    func operationStarts() {}

    /// Called on the thread that finishes the operation.
    ///
    /// That thread then claims the delivery.
    func operationFinished(hasFailed: Bool) {}

    func claimDelivery() -> Bool { false }

    func deliverClaimed() -> (any CallbackDelivery)? { nil }

    func deliverClaimedElsewhere() {}
}
