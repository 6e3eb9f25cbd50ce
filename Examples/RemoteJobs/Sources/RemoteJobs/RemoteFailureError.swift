import Foundation

/// Why a task failed on its worker.
///
/// The worker's own error does not travel: its type may not exist here.
public struct RemoteFailureError: LocalizedError, Codable, Hashable {
    /// The worker's error's type, as `String(describing:)` says it.
    public let type: String
    /// The worker's error, as `String(describing:)` says it.
    public let message: String
    /// The worker's name.
    public let worker: String
    /// Which delivery of the task it was, from 1.
    public let attempt: Int

    /// Takes a failure in its parts.
    ///
    /// - Parameters:
    ///   - type: The error's type.
    ///   - message: The error.
    ///   - worker: The worker's name.
    ///   - attempt: Which delivery of the task it was, from 1.
    public init(type: String, message: String, worker: String, attempt: Int) {
        self.type = type
        self.message = message
        self.worker = worker
        self.attempt = attempt
    }
}

extension RemoteFailureError: CustomStringConvertible {
    /// The message, and where it comes from.
    public var description: String { "\(message) (on \(worker), attempt \(attempt))" }
    /// The description.
    public var errorDescription: String? { description }
}
