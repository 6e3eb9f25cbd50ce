import Foundation

extension JobJournal {
    /// Another journal of the same folder and job is open, in this process or another.
    public struct InUseError: Error, Hashable, CustomStringConvertible {
        /// The job's id.
        public let job: String

        /// Says which job's journal is open elsewhere.
        public var description: String { "The journal of the job \(job) is open elsewhere." }
    }

    /// A journal's file is not as any crash leaves it; it was not changed.
    public struct DamagedError: Error, CustomStringConvertible {
        /// The file.
        public let file: URL
        /// The first byte, from 0, that cannot be trusted.
        public let offset: Int

        let reason: Damage.Reason

        /// Says where, and what is wrong, such as a format of a later version.
        public var description: String {
            "The journal \(file.path) is damaged at byte \(offset): \(reason.rawValue)."
        }
    }

    /// A journal cannot write, or is closed; what was recorded stays.
    public struct WriteError: Error, CustomStringConvertible {
        /// What the system said, such as a `POSIXError` of a full disk.
        public let underlying: any Error

        /// Says what the journal could not do.
        public var description: String { "The journal cannot write: \(underlying)" }
    }
}

/// The journal was closed, or removed, before the step could run or be recorded.
struct JournalIsClosed: Error, CustomStringConvertible {
    var description: String { "the journal is closed." }
}

/// An outcome is longer than a journal takes.
struct OutcomeTooLarge: Error, CustomStringConvertible {
    static let limit = 64 << 20

    let key: String
    let count: Int

    var description: String {
        "the outcome of \(key) has \(count) bytes, more than \(OutcomeTooLarge.limit)."
    }
}
