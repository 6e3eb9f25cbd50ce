import Foundation
import JobKit

/// The outcomes of a job's steps, kept in a file: a job that is started again goes on from them.
///
/// ```swift
/// let journal = try JobJournal(at: folder, job: "import of customers.csv")
/// for batch in batches {
///     trackAndQueue(journal.step("batch \(batch.number)") { context in
///         try await server.send(batch, idempotencyKey: context.idempotencyKey)
///     })
/// }
/// ```
///
/// A step whose outcome is recorded does not run again, in this process or in the next: it finishes
/// at once with that outcome. Steps are known by their keys, not by their order.
///
/// The journal holds its file until ``close()`` or ``remove()``, or until nothing refers to it: its
/// steps do.
///
/// > Thread: Every member may be used from any thread.
public final class JobJournal: Sendable {
    /// What a recorded outcome outlives.
    public struct Safety: Sendable, Hashable {
        /// The end of the process, however it comes: the record is with the operating system.
        public static let processCrash = Safety(isSynced: false)
        /// The end of the machine too: the record is synced to the disk.
        ///
        /// Outcomes that wait for a sync share it.
        public static let powerLoss = Safety(isSynced: true)

        let isSynced: Bool
    }

    let shell: JournalShell
    let path: StepPath
    let scopes: [SipHash.Digest]

    /// Opens the journal of a job, which is empty where there was none.
    ///
    /// Reads the file on the calling thread: 100,000 outcomes take less than a second.
    ///
    /// - Parameters:
    ///   - folder: Where the file is, or will be; created where it is missing, for the user alone.
    ///   - job: The job's id, any text: the same in all lives of one job, and another for each
    ///     other. Compared byte by byte.
    ///   - safety: What a recorded outcome outlives.
    /// - Throws: ``JobJournal/JobJournal/InUseError``, ``JobJournal/JobJournal/DamagedError`` and, where the folder or the file cannot be
    ///   made, opened or read, ``JobJournal/JobJournal/WriteError``.
    public convenience init(at folder: URL, job: String, safety: Safety = .processCrash) throws {
        try self.init(
            JournalShell(at: folder, job: job, isSynced: safety.isSynced),
            StepPath(),
            []
        )
    }

    init(_ shell: JournalShell, _ path: StepPath, _ scopes: [SipHash.Digest]) {
        self.shell = shell
        self.path = path
        self.scopes = scopes
    }

    /// The job's id; of a scope too.
    public var job: String { shell.job }

    /// A part of the journal, for a nested job: the same file, and keys of its own.
    ///
    /// - Parameter name: Any text; the same name is the same scope.
    /// - Returns: A journal that is the same but for its keys.
    public func scope(_ name: String) -> JobJournal {
        let path = path.appending(name)
        return JobJournal(shell, path, scopes + [shell.seal.digest(.scope, path.bytes)])
    }

    /// How many outcomes are known, this scope's and those of the scopes in it.
    public var recordedCount: Int {
        shell.guarded.withLock { state in
            scopes.last.map { state.index.count(in: $0) } ?? state.index.count
        }
    }

    /// Removes the file, for the job is done; a next journal of the job is empty.
    ///
    /// Waits for what is being written. Of a scope it removes the whole journal. A step that starts
    /// later fails with ``JobJournal/JobJournal/WriteError``. Removing twice, or after ``close()``, is fine.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError`` where the file cannot be removed, ``JobJournal/JobJournal/InUseError`` where the
    ///   journal was closed and is open elsewhere.
    public func remove() async throws {
        try await shell.end(removing: true)
    }

    /// Writes what waits, and lets the file go, so that another journal can open it.
    ///
    /// Of a scope it closes the whole journal. A step that starts later fails with
    /// ``JobJournal/JobJournal/WriteError``; one that runs can no longer be recorded, and fails so when it succeeds.
    public func close() async {
        // Throws only where it removes.
        try? await shell.end(removing: false)
    }

    func name(of key: String) -> StepName {
        let path = path.appending(key)
        return StepName(
            key: key,
            path: path,
            digest: shell.seal.digest(.step, path.bytes),
            scopes: scopes
        )
    }
}
