import Foundation

extension JobJournal {
    /// Another journal or outbox with the same folder and name is open.
    public struct InUseError: LocalizedError, Hashable, CustomStringConvertible {
        /// The job's id, or the outbox's name.
        public let job: String

        /// Creates the error.
        ///
        /// - Parameter job: The job's id, or the outbox's name.
        public init(job: String) {
            self.job = job
        }

        /// Names the job.
        public var description: String { "The journal or outbox \(quoted(job)) is open elsewhere." }

        /// The description.
        public var errorDescription: String? { description }
    }

    /// A file is damaged in a way that no crash explains.
    ///
    /// The file was not changed.
    public struct DamagedError: LocalizedError, CustomStringConvertible {
        /// The file.
        public let file: URL
        /// The first byte, from 0, that cannot be trusted.
        public let offset: Int
        /// The reason, for example that the format is of a later version.
        public let reason: String

        /// Creates the error.
        ///
        /// - Parameters:
        ///   - file: The file.
        ///   - offset: The first byte, from 0, that cannot be trusted.
        ///   - reason: The reason.
        public init(file: URL, offset: Int, reason: String) {
            self.file = file
            self.offset = offset
            self.reason = reason
        }

        init(_ damage: Damage, of file: URL) {
            self.init(file: file, offset: damage.offset, reason: damage.reason.rawValue)
        }

        /// Names the file, the byte and the reason.
        public var description: String {
            "The file \(file.path) is damaged at byte \(offset): \(reason)."
        }

        /// The description.
        public var errorDescription: String? { description }
    }

    /// A file cannot be written, or is closed.
    ///
    /// Earlier records stay in the file.
    public struct WriteError: LocalizedError, CustomStringConvertible {
        /// The file.
        public let file: URL
        /// The reason, for example a `POSIXError` of a full disk.
        public let underlying: any Error
        /// The system call that failed, if it concerns a folder.
        private let call: String?

        /// Creates the error.
        ///
        /// - Parameters:
        ///   - file: The file.
        ///   - underlying: The reason.
        public init(file: URL, underlying: any Error) {
            self.file = file
            let failed = underlying as? FailedCall
            self.underlying = failed?.error ?? underlying
            call = failed?.call
        }

        /// Names the file and the reason, and the folder and the call if a folder is the reason.
        public var description: String {
            let cause = call.map { "\($0) failed: " } ?? ""
            return "The file \(file.path) cannot be written: \(cause)\(sentence(of: underlying))"
        }

        /// The description.
        public var errorDescription: String? { description }
    }

    /// A step's input differs from the recorded one.
    ///
    /// The step did not run. If its version is changed, the record is ignored, and it runs again.
    public struct InputChangedError: LocalizedError, Hashable, CustomStringConvertible {
        /// The step's key.
        public let key: String

        /// Creates the error.
        ///
        /// - Parameter key: The step's key.
        public init(key: String) {
            self.key = key
        }

        /// Names the step.
        public var description: String {
            "The input of the step \(quoted(key)) differs from the recorded one."
        }

        /// The description.
        public var errorDescription: String? { description }
    }

    /// A step with the same key has not finished in this session.
    public struct KeyInUseError: LocalizedError, Hashable, CustomStringConvertible {
        /// The steps' key.
        public let key: String

        /// Creates the error.
        ///
        /// - Parameter key: The steps' key.
        public init(key: String) {
            self.key = key
        }

        /// Names the step.
        public var description: String {
            "A step with the key \(quoted(key)) has not finished in this session."
        }

        /// The description.
        public var errorDescription: String? { description }
    }
}

private func quoted(_ name: String) -> String { "\"\(name)\"" }

/// Returns an error's text with a full stop at its end.
private func sentence(of error: any Error) -> String {
    let code = (error as? POSIXError)?.code.rawValue
    let text = code.map { String(cString: strerror($0)) } ?? "\(error)"
    return text.hasSuffix(".") ? text : text + "."
}
