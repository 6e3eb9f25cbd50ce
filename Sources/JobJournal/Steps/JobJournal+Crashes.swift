import Foundation

/// Hooks for tests, and for JobKitTesting, which runs a user's job on truncated journals.
extension JobJournal {
    /// Opens a journal with an observer of its steps, and with the system calls of a test.
    package convenience init(
        at folder: URL,
        job: String,
        safety: Safety = .processCrash,
        calls: FileCalls = .system,
        watch: (any JournalWatch)?
    ) throws {
        try self.init(
            JournalShell(
                at: folder,
                job: job,
                isSynced: safety.isSynced,
                calls: calls,
                watch: watch
            ),
            StepPath(),
            []
        )
    }

    /// Splits a step's path into the names of its scopes and its key.
    ///
    /// Four bytes with its length precede each name.
    package static func parts(of path: [UInt8]) -> [String] {
        path.withUnsafeBytes { bytes in
            var start = 0
            return (StepPath.ends(in: bytes) ?? [])
                .map { end in
                    defer { start = end }
                    return String(decoding: bytes[start + 4..<end], as: UTF8.self)
                }
        }
    }

    /// The journal's file.
    package var file: URL { shell.url }

    /// A step's outcome in a journal's file.
    package struct OutcomeRecord: Sendable {
        package let key: String
        package let path: [UInt8]
        package let version: Int
        /// The range of the record's bytes in the file.
        package let range: Range<Int>
    }

    /// The outcomes in a file, in the order in which they were recorded.
    ///
    /// - Parameter bytes: The whole file.
    /// - Returns: One record for each outcome.
    /// - Throws: An error if the bytes are damaged.
    package static func records(in bytes: [UInt8]) throws -> [OutcomeRecord] {
        guard case .whole(let fileKey) = Preamble.read(Array(bytes.prefix(Preamble.size))) else {
            return []
        }
        var source = bytes
        var scan = RecordScan(fileKey: fileKey, offset: Preamble.size)
        var records: [OutcomeRecord] = []
        var hasMore = true
        while hasMore {
            hasMore = try scan.next(&source, isSynced: false) { record in
                guard record.kind == .outcome else { return }
                let start = record.location.offset
                guard let outcome = OutcomePayload(record.payload) else {
                    throw Damage(offset: start, reason: .contents)
                }
                records.append(
                    OutcomeRecord(
                        key: parts(of: Array(outcome.path)).last ?? "",
                        path: Array(outcome.path),
                        version: outcome.version,
                        range: start..<start + record.location.size
                    )
                )
            }
        }
        return records
    }
}
