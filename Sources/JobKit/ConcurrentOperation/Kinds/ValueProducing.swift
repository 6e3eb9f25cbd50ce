import Foundation

/// A task that has a value: a ``ResultOperation``, a ``ResultJob``, or a ``RetryOperation`` of one.
///
/// Generic code can get the value of any of them. Derive from one of these classes instead of
/// conforming to the protocol, because a later version may add requirements.
public protocol ValueProducing<Success>: ConcurrentOperation {
    /// The type of the value.
    associatedtype Success: Sendable

    /// The value or the reason why there is none, or nil until the outcome is decided.
    ///
    /// If the operation was cancelled, the result is a failure with `CancellationError`.
    var result: Result<Success, any Error>? { get }

    /// Waits for the operation, without starting it, and returns its value.
    ///
    /// - Throws: The operation's error, `CancellationError` if it was cancelled, or
    ///   ``MissingResultError`` if it finished without a value.
    var value: Success { get async throws }

    /// Starts the operation, waits until it has finished, and returns its value.
    ///
    /// See ``ConcurrentOperation/run(on:timeout:stopWithin:)``.
    ///
    /// - Parameters:
    ///   - queue: The queue that starts the operation, or nil for ``TaskQueue/shared``.
    ///   - timeout: How long the operation may take, or nil for no limit.
    ///   - stopWithin: How long to wait for an operation that was asked to stop, or nil for no
    ///     limit.
    /// - Returns: The value.
    /// - Throws: The operation's error, `CancellationError` if it was cancelled,
    ///   ``MissingResultError`` if it finished without a value, or ``JobTimeoutError`` or
    ///   ``JobStopTimeoutError`` if a limit has passed.
    @discardableResult
    func run(
        on queue: (any OperationScheduling)?,
        timeout: Duration?,
        stopWithin: Duration?
    ) async throws -> Success
}

extension ValueProducing {
    /// Waits for the operation and returns its value.
    ///
    /// Throws at once if the operation was cancelled before it was started.
    func awaitedValue() async throws -> Success {
        await waitForFinish()
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}

extension OperationOutcome {
    /// The outcome as a result.
    ///
    /// `success` is called only if the operation has succeeded.
    func result<Success>(
        _ success: () -> Result<Success, any Error>
    ) -> Result<Success, any Error> {
        switch self {
        case .cancelled: .failure(CancellationError())
        case .failed(let error): .failure(error)
        case .succeeded: success()
        }
    }
}

/// The stored value of an operation that must have one.
struct ResultStorage<Success: Sendable>: Sendable {
    var value: Success?

    /// The error if the operation finishes now, or nil if there is a value, or if its type is
    /// `Void`.
    func errorOfMissingValue(in operation: ConcurrentOperation) -> (any Error)? {
        value == nil && Success.self != Void.self
            ? MissingResultError(name: operation.label) : nil
    }

    /// The value of an operation that has succeeded.
    func success(of operation: ConcurrentOperation) -> Result<Success, any Error> {
        guard let value = value ?? () as? Success else {
            return .failure(MissingResultError(name: operation.label))
        }
        return .success(value)
    }
}
