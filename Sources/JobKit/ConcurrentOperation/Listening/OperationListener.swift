import Foundation

// A class that others derive from is never checked: the operation's lock guards its variable.
/// Who hears of the start and the finish of one operation: a job's record of a task.
///
/// A class and not a protocol, because every task calls it several times.
class OperationListener: CallbackDelivery, FinishListElement, @unchecked Sendable {
    /// Whether it hears of the operation's finish.
    enum Listening {
        case notYet
        case now
        case noLonger
    }

    /// Guarded by the operation's lock.
    final var listening = Listening.notYet

    final var hasLeft: Bool { listening == .noLonger }

    /// What the operation is to run inside.
    var context: OperationContext? { nil }

    /// The operation is about to be started.
    func operationStarts() {}

    /// Called on the thread of the finish, which then claims the delivery.
    func operationFinished(hasFailed: Bool) {}

    func claimDelivery(by worker: DeliveringWorker?) -> Bool { false }

    func deliverClaimed(by worker: DeliveringWorker?) -> (any CallbackDelivery)? { nil }

    func deliverClaimedElsewhere() {}
}
