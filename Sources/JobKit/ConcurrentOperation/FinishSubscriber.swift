import Foundation

/// Something that is told, by a direct call, when an operation has finished.
///
/// A class and not a protocol or a closure: a subscriber is one word in the operation, and telling
/// it is one virtual call.
class FinishSubscriber: @unchecked Sendable {  // subclasses guard their own state
    /// Called once, on the thread of the finish, after `isFinished` became true and before the
    /// operations that depend on it become ready.
    ///
    /// Must not run code of the user's.
    ///
    /// - Returns: The job that has mail now; the caller sees that it is delivered.
    func operationFinished(_ operation: Operation) -> JobEffects? { nil }
}
