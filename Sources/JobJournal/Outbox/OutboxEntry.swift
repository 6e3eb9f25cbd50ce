import Foundation

/// An item of a ``JobOutbox``, until it leaves the file.
public struct OutboxEntry: Sendable, Identifiable {
    /// Identifies an entry.
    ///
    /// No two entries of an outbox have the same id.
    public struct ID: Hashable, Codable, Sendable, LosslessStringConvertible {
        let number: UInt64

        init(number: UInt64) {
            self.number = number
        }

        /// Creates the id that a description names.
        ///
        /// - Parameter description: The ``description`` of an id.
        public init?(_ description: String) {
            guard let number = UInt64(description), "\(number)" == description else { return nil }
            self.number = number
        }

        /// Decodes an id.
        ///
        /// - Parameter decoder: The decoder.
        /// - Throws: A `DecodingError` if the value is not an id.
        public init(from decoder: any Decoder) throws {
            number = try decoder.singleValueContainer().decode(UInt64.self)
        }

        /// Encodes the id as a number.
        ///
        /// - Parameter encoder: The encoder.
        /// - Throws: The error of the encoder.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }

        /// The id's number, as text.
        public var description: String { "\(number)" }
    }

    /// Why an entry is in the file.
    public enum State: Sendable, Hashable {
        /// The entry waits for its turn.
        case waiting
        /// The entry waits for a date.
        case delayed(until: Date)
        /// The entry stays until it is retried or removed.
        case parked(holdsKey: Bool)
        /// `perform` was called for the entry and has not returned.
        case performing
    }

    /// The entry's id.
    public let id: ID
    /// The entry's key.
    ///
    /// Entries of one key are performed in order, one at a time.
    public let key: String?
    /// Identifies duplicates among the entries of a key.
    public let deduplicationID: String?
    /// Why the entry is in the file.
    public let state: State
    /// The number of failed attempts.
    public let failureCount: Int
    /// Whether `perform` may have been called for the entry.
    ///
    /// False only if it certainly was not.
    public let mayHaveBegun: Bool
    /// The text of the latest error, at most 1,000 characters.
    public let lastError: String?
    /// When the entry was added.
    public let addedAt: Date

    init(
        _ slot: OutboxStateMachine.Slot,
        _ key: String?,
        deduplicationID: String?,
        lastError: String?
    ) {
        id = ID(number: slot.id)
        self.key = key
        self.deduplicationID = deduplicationID
        failureCount = Int(slot.progress.failures)
        mayHaveBegun = slot.progress.flags.contains(.mayHaveBegun)
        self.lastError = lastError
        addedAt = Date(timeIntervalSinceReferenceDate: slot.addedAt)
        if slot.phase == .performing {
            state = .performing
        } else if slot.progress.isParked {
            state = .parked(holdsKey: !slot.progress.isAside)
        } else if slot.dueAt != nil {
            state = .delayed(until: Date(timeIntervalSinceReferenceDate: slot.delayedUntil))
        } else {
            state = .waiting
        }
    }
}

/// The number of entries in each state.
///
/// Each entry is counted once.
public struct OutboxCounts: Sendable, Hashable {
    /// Entries that wait for their turn.
    public internal(set) var waiting = 0
    /// Entries that wait for a date.
    public internal(set) var delayed = 0
    /// Entries that stay until they are retried or removed.
    public internal(set) var parked = 0
    /// Entries with a running attempt.
    public internal(set) var performing = 0
}

/// A change of an entry that is in the file.
public struct OutboxEvent: Sendable {
    /// The kind of a change.
    public enum Kind: Sendable, Hashable {
        /// The entry was added.
        case added
        /// An attempt has begun.
        case began
        /// An attempt has succeeded, and the entry has left.
        case finished
        /// An attempt has failed, or the entry was parked.
        case failed(OutboxFailureResponse)
        /// Another entry has replaced the entry.
        case replaced
        /// The entry was removed.
        case removed
    }

    /// The entry's id.
    public let id: OutboxEntry.ID
    /// The entry's key.
    public let key: String?
    /// The kind of the change.
    public let kind: Kind
    /// The text of the error, at most 1,000 characters.
    public let error: String?

    init(_ id: UInt64, _ key: String?, _ kind: Kind, error: String? = nil) {
        self.id = OutboxEntry.ID(number: id)
        self.key = key
        self.kind = kind
        self.error = error
    }

    /// Returns an error's text as it is stored.
    static func text(of error: any Error) -> String { String("\(error)".prefix(1_000)) }
}

/// Describes an attempt to its code.
public struct OutboxAttempt: Sendable {
    /// The entry's id.
    public let id: OutboxEntry.ID
    /// The entry's key.
    public let key: String?
    /// The entry's deduplication ID.
    public let deduplicationID: String?
    /// The number of earlier attempts that have failed.
    public let failureCount: Int
    /// The number of earlier failures that were charged.
    public let chargedFailureCount: Int
    /// Identifies the entry to the receiver, with the same text for all attempts.
    public let idempotencyKey: String
    /// Whether an earlier attempt may have begun.
    ///
    /// False only if this is certainly the first one.
    public let mayHaveBegun: Bool
    /// The number of sessions in a row that ended in the middle of an attempt.
    public let interruptions: Int
    /// When the entry was added.
    public let addedAt: Date

    init(
        _ slot: OutboxStateMachine.Slot,
        _ key: String?,
        _ deduplicationID: String?,
        with fileKey: FileKey
    ) {
        id = OutboxEntry.ID(number: slot.id)
        self.key = key
        self.deduplicationID = deduplicationID
        failureCount = Int(slot.progress.failures)
        chargedFailureCount = Int(slot.progress.charged)
        idempotencyKey = fileKey.digest(.request, [UInt8](little: slot.id)).text
        mayHaveBegun = slot.progress.flags.contains(.mayHaveBegun)
        interruptions = Int(slot.progress.interruptions)
        addedAt = Date(timeIntervalSinceReferenceDate: slot.addedAt)
    }
}

/// The process has ended during one or more attempts for an entry.
public struct OutboxInterruptedError: LocalizedError, CustomStringConvertible {
    /// The entry's id.
    public let id: OutboxEntry.ID
    /// The number of sessions in a row.
    public let interruptions: Int

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - id: The entry's id.
    ///   - interruptions: The number of sessions in a row.
    public init(id: OutboxEntry.ID, interruptions: Int) {
        self.id = id
        self.interruptions = interruptions
    }

    /// Names the entry.
    public var description: String {
        let times = interruptions == 1 ? "once" : "\(interruptions) times in a row"
        return "The process has ended \(times) while entry \(id) was performed."
    }

    /// The description.
    public var errorDescription: String? { description }
}
