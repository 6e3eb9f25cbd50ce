import Foundation

/// A task was given up: each worker that took it has died or was cut off.
public struct UndeliverableError: LocalizedError, Hashable, CustomStringConvertible {
    /// The task's key.
    public let key: String
    /// How often it was handed to a worker.
    public let deliveries: Int
    /// What the broker says.
    public let reason: String
    /// One sentence that names the task.
    public var description: String {
        "The task \(key) was abandoned after \(deliveries) deliveries: \(reason)."
    }
    /// The description.
    public var errorDescription: String? { description }
}

/// A task has a key that an earlier life of the job used for another input.
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

/// A second task with the key of one that is not finished.
public struct KeyInUseError: LocalizedError, Hashable, CustomStringConvertible {
    /// The key.
    public let key: String
    /// One sentence that names the key.
    public var description: String { "Another task with the key \(key) has not finished." }
    /// The description.
    public var errorDescription: String? { description }
}

/// A task's input, its outcome or its key is larger than what may travel; nothing was sent.
///
/// A worker whose outcome is too large sends the ``RemoteFailureError`` of this error in its place.
public struct TooLargeError: LocalizedError, Hashable, CustomStringConvertible {
    /// What may be too large.
    public enum Part: String, Sendable {
        /// What the worker is given.
        case input
        /// What the task comes to: a value, or a failure.
        case outcome
        /// What the task is known by.
        case key
    }

    /// The task's key.
    public let key: String
    /// What is too large.
    public let part: Part
    /// How many bytes it has; of an input and an outcome, as JSON.
    public let size: Int
    /// How many it may have.
    public let limit: Int
    /// One line that says it all; of a long key, the beginning.
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
    /// What the last try came to.
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
    /// What the last try came to.
    public let reason: String
    /// One line that names hosts and ports.
    public var description: String { "No broker at \(brokers): \(reason)." }
    /// The description.
    public var errorDescription: String? { description }
}

/// A broker does not let the user in, or not to what is needed.
public struct BrokerRefusedError: LocalizedError, CustomStringConvertible {
    /// Host and port.
    public let broker: String
    /// The broker's word.
    public let reason: String
    /// One line that names host and port.
    public var description: String { "The broker at \(broker) refuses the user: \(reason)" }
    /// The description.
    public var errorDescription: String? { description }
}

/// A job could not be removed; what the broker still knows of it, a next life of the job takes over.
public struct JobNotRemovedError: LocalizedError, CustomStringConvertible {
    /// The job's id.
    public let job: String
    /// What has kept it.
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

/// A name of a job, a place or a task is empty, too long, or has a NUL.
public struct InvalidNameError: LocalizedError, CustomStringConvertible {
    /// The name.
    public let name: String
    /// One sentence that says what is wrong.
    public var description: String {
        if name.isEmpty { return "A name must not be empty." }
        if name.utf8.contains(0) { return "A name must not have a NUL." }
        return "A name has at most 100 bytes: \(name.prefix(40))... has \(name.utf8.count)."
    }
    /// The description.
    public var errorDescription: String? { description }
}
