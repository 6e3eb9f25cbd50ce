import Foundation

/// The failure of an operation that ran longer than its ``ConcurrentOperation/maximumRuntime``.
public struct OperationTimeoutError: LocalizedError, Hashable, CustomStringConvertible {
    /// The operation's name, or the name of its type.
    public let name: String
    /// The maximum runtime of the operation.
    public let limit: Duration

    /// Creates the error of an operation that timed out.
    public init(name: String, limit: Duration) {
        (self.name, self.limit) = (name, limit)
    }

    /// One sentence that names the operation and its limit.
    public var description: String { "\(name) timed out after \(limit)." }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

/// The failure of a ``ResultOperation`` or ``ResultJob`` that finished without a value.
public struct MissingResultError: LocalizedError, Hashable, CustomStringConvertible {
    /// The operation's name, or the name of its type.
    public let name: String

    /// Creates the error of an operation that has no value.
    public init(name: String) {
        self.name = name
    }

    /// One sentence that names the operation.
    public var description: String { "\(name) finished without a value." }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

/// The failure of a ``CallbackOperation`` whose `done` was released without a call.
///
/// The work has a path that forgets to call `done`. Without this error, nothing could finish the
/// operation.
public struct CallbackLostError: LocalizedError, Hashable, CustomStringConvertible {
    /// The operation's name, or the name of its type.
    public let name: String

    /// Creates the error of an operation whose `done` was lost.
    public init(name: String) {
        self.name = name
    }

    /// One sentence that names the operation.
    public var description: String { "\(name) released `done` without calling it." }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
