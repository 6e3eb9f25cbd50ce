/// An operation that ends with a value: a ``ResultOperation``, a ``ResultJob``, or a
/// ``RetryOperation`` of either.
///
/// What takes such an operation takes each of them, as
/// ``JobController/trackAndQueue(_:on:group:cancellation:weight:failure:onSuccess:)`` does. Types
/// of JobKit's conform, and a later version may add requirements: derive from one of them instead
/// of conforming.
public protocol ValueProducing<Success>: ConcurrentOperation {
    /// The type of the value.
    associatedtype Success: Sendable

    /// The value, or why there is none; nil until the operation has finished.
    ///
    /// A cancelled operation gives `CancellationError`.
    var result: Result<Success, any Error>? { get }

    /// Waits for the operation, without starting it, and returns its value.
    ///
    /// - Throws: The operation's error; `CancellationError` if it was cancelled; ``NoResult`` if it
    ///   finished without a value.
    var value: Success { get async throws }
}

extension ResultOperation: ValueProducing {}
extension ResultJob: ValueProducing {}
