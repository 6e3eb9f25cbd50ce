import Foundation

/// A task was abandoned, because each worker that took it has died or was disconnected.
public struct UndeliverableError: LocalizedError, Hashable, CustomStringConvertible {
    /// The task's key.
    public let key: String
    /// How often it was delivered to a worker.
    public let deliveries: Int
    /// The broker's reason.
    public let reason: String
    /// One sentence that names the task.
    public var description: String {
        "The task \(key) was abandoned after \(deliveries) deliveries: \(reason)."
    }
    /// The description.
    public var errorDescription: String? { description }
}

/// A task's key was used with another input in an earlier run of the job.
public struct InputChangedError: LocalizedError, Hashable, CustomStringConvertible {
    /// The task's key.
    public let key: String
    /// One sentence that names the task.
    public var description: String {
        "The task \(key) has another input than in an earlier session of the job."
    }
    /// The description.
    public var errorDescription: String? { description }
}

/// A task has the same key as another unfinished task.
public struct KeyInUseError: LocalizedError, Hashable, CustomStringConvertible {
    /// The key.
    public let key: String
    /// One sentence that names the key.
    public var description: String { "Another task with the key \(key) has not finished." }
    /// The description.
    public var errorDescription: String? { description }
}

/// A task's input, outcome or key is too large to send.
///
/// Nothing was sent. If an outcome is too large, the worker sends a ``RemoteFailureError`` with
/// this error instead.
public struct TooLargeError: LocalizedError, Hashable, CustomStringConvertible {
    /// The part of a task that is too large.
    public enum Part: String, Sendable {
        /// The input of the work.
        case input
        /// The value or failure of the task.
        case outcome
        /// The key of the task.
        case key
    }

    /// The task's key.
    public let key: String
    /// The part that is too large.
    public let part: Part
    /// Its size in bytes.
    ///
    /// Inputs and outcomes are measured as JSON.
    public let size: Int
    /// The highest size in bytes.
    public let limit: Int
    /// One line with all values.
    ///
    /// A long key is shortened.
    public var description: String {
        let key = key.utf8.count > 200 ? "\(key.prefix(40))..." : key
        return "The \(part) of the task \(key) has \(size) bytes; at most \(limit) may travel."
    }
    /// The description.
    public var errorDescription: String? { description }
}

/// Another controller runs the job.
public struct JobRunningError: LocalizedError, Hashable, CustomStringConvertible {
    /// The job's id.
    public let job: String
    /// One line that names the job.
    public var description: String { "The job \(job) is running elsewhere." }
    /// The description.
    public var errorDescription: String? { description }
}

/// No broker could be reached for longer than the session's patience.
public struct BrokerLostError: LocalizedError, CustomStringConvertible {
    /// Hosts and ports.
    public let brokers: String
    /// The result of the last attempt.
    public let reason: String
    /// One line that names hosts and ports.
    public var description: String { "The broker at \(brokers) is lost: \(reason)." }
    /// The description.
    public var errorDescription: String? { description }
}

/// No broker could be reached when the session was opened, or the worker started.
public struct BrokerUnreachableError: LocalizedError, CustomStringConvertible {
    /// Hosts and ports.
    public let brokers: String
    /// The result of the last attempt.
    public let reason: String
    /// One line that names hosts and ports.
    public var description: String { "No broker at \(brokers): \(reason)." }
    /// The description.
    public var errorDescription: String? { description }
}

/// A broker rejects the user or denies a permission that is needed.
public struct BrokerRefusedError: LocalizedError, CustomStringConvertible {
    /// Host and port.
    public let broker: String
    /// The broker's reason.
    public let reason: String
    /// One line that names host and port.
    public var description: String { "The broker at \(broker) refuses the user: \(reason)" }
    /// The description.
    public var errorDescription: String? { description }
}

/// A job could not be removed.
///
/// The next run of the job takes over its remaining state.
public struct JobNotRemovedError: LocalizedError, CustomStringConvertible {
    /// The job's id.
    public let job: String
    /// The reason.
    public let reason: String
    /// One line that names the job.
    public var description: String { "The job \(job) is not removed: \(reason)" }
    /// The description.
    public var errorDescription: String? { description }
}

/// The session was closed before the task had an outcome.
public struct SessionClosedError: LocalizedError, CustomStringConvertible {
    /// One sentence.
    public var description: String { "The session was closed before the task had an outcome." }
    /// The description.
    public var errorDescription: String? { description }
}

/// A name of a job, a place or a task is empty, too long, or contains a NUL.
public struct InvalidNameError: LocalizedError, CustomStringConvertible {
    /// The name.
    public let name: String
    /// One sentence that describes the problem.
    public var description: String {
        if name.isEmpty { return "A name must not be empty." }
        if name.utf8.contains(0) { return "A name must not have a NUL." }
        return "A name has at most 100 bytes: \(name.prefix(40))... has \(name.utf8.count)."
    }
    /// The description.
    public var errorDescription: String? { description }
}
