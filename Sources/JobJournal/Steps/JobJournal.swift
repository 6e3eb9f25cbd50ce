import Foundation
import JobKit

/// Records the outcomes of a job's steps, so that the job can continue after a crash.
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
/// A step whose outcome is recorded does not run again, neither in this process nor in the next
/// one. It finishes at once with that outcome. Steps are identified by their keys, not by their
/// order.
///
/// The journal keeps its file locked until ``close()`` or ``remove()`` is called, or until the
/// journal and all of its steps are released.
///
/// > Thread: Every member may be used from any thread.
public final class JobJournal: Sendable {
    /// The kind of crash that a recorded outcome survives.
    public struct Safety: Sendable, Hashable {
        /// The end of the process for any reason, because the operating system has the record.
        public static let processCrash = Safety(isSynced: false)
        /// A power cut, too, because the record is synced to the disk.
        ///
        /// Outcomes that wait for a sync at the same time share it.
        public static let powerLoss = Safety(isSynced: true)

        let isSynced: Bool
    }

    let shell: JournalShell
    /// The names of the enclosing scopes.
    let path: StepPath
    /// A digest of each enclosing scope, outermost first, by which outcomes are counted.
    let scopes: [SipHash.Digest]

    /// Opens the journal of a job, or creates it.
    ///
    /// This reads the file on the calling thread. Reading 100,000 outcomes takes less than a
    /// second.
    ///
    /// - Parameters:
    ///   - folder: The folder of the file. If it is missing, it is created so that only the user
    ///     has access to it.
    ///   - job: The job's id, any text. It is the same in all sessions of a job and differs between
    ///     jobs. It is compared byte by byte.
    ///   - safety: The kind of crash that a recorded outcome survives.
    /// - Throws: ``JobJournal/JobJournal/InUseError``, ``JobJournal/JobJournal/DamagedError``, or
    ///   ``JobJournal/JobJournal/WriteError`` if the folder or the file cannot be created, opened or
    ///   read.
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

    /// The job's id, which is the same in every scope.
    public var job: String { shell.job }

    /// Returns a part of the journal with its own keys, for example for a nested job.
    ///
    /// - Parameter name: Any text. The same name is the same scope.
    /// - Returns: A journal that uses the same file.
    public func scope(_ name: String) -> JobJournal {
        let path = path.appending(name)
        return JobJournal(shell, path, scopes + [shell.fileKey.digest(.scope, path.bytes)])
    }

    /// The number of known outcomes, in this scope and in the scopes below.
    public var recordedCount: Int {
        shell.guarded.withLock { state in
            scopes.last.map { state.index.count(in: $0) } ?? state.index.count
        }
    }

    /// Deletes the file once the job is complete.
    ///
    /// Opening the journal again starts empty.
    ///
    /// Waits for pending writes. In a scope, it removes the whole journal. A step that starts later
    /// fails with ``JobJournal/JobJournal/WriteError``. It may be called twice, and after
    /// ``close()``.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError`` if the file cannot be removed, and
    ///   ``JobJournal/JobJournal/InUseError`` if the journal was closed and is open elsewhere.
    public func remove() async throws {
        try await shell.end(removing: true)
    }

    /// Waits for pending writes and releases the file, so that another journal can open it.
    ///
    /// In a scope, it closes the whole journal. A step that starts later fails with
    /// ``JobJournal/JobJournal/WriteError``. So does a step that is running and succeeds later.
    public func close() async {
        // Only removal can throw.
        try? await shell.end(removing: false)
    }

    func name(of key: String) -> StepName {
        let path = path.appending(key)
        return StepName(
            key: key,
            path: path,
            digest: shell.fileKey.digest(.step, path.bytes),
            scopes: scopes
        )
    }
}
