import Foundation

/// The failure of a task on its worker.
///
/// It describes the worker's error, which does not travel itself, because its type may not exist
/// here.
public struct RemoteFailureError: LocalizedError, Codable, Hashable {
    /// The type of the worker's error, from `String(describing:)`.
    public let type: String
    /// The worker's error, from `String(describing:)`.
    public let message: String
    /// The worker's name.
    public let worker: String
    /// The number of the task's delivery, from 1.
    public let attempt: Int

    /// Creates a failure from its parts.
    ///
    /// - Parameters:
    ///   - type: The error's type.
    ///   - message: The error.
    ///   - worker: The worker's name.
    ///   - attempt: The number of the task's delivery, from 1.
    public init(type: String, message: String, worker: String, attempt: Int) {
        self.type = type
        self.message = message
        self.worker = worker
        self.attempt = attempt
    }
}

extension RemoteFailureError: CustomStringConvertible {
    /// The message and its origin.
    public var description: String { "\(message) (on \(worker), attempt \(attempt))" }
    /// The description.
    public var errorDescription: String? { description }
}
