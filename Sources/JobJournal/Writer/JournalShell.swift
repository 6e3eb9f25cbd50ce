import Dispatch
import Foundation
import JobKit

/// Owns the lock of a journal, and carries out the decisions of its machines.
///
/// No system call is made under the lock. Only one thread writes at a time. Without syncs, it is
/// the thread of a step that has ended, and other steps that end in the meantime wait without
/// blocking a thread. With syncs, it is the journal's own thread.
final class JournalShell: Sendable {
    struct State {
        var index: RecordIndex
        var claims = StepClaims()
        var writer = WriterStateMachine<JournalEntry>()
        /// Used only by the thread that has the turn.
        ///
        /// Nil if the journal is closed.
        var log: RecordLog?
        var waitForTheEnd: [UnsafeContinuation<Void, Never>] = []
    }

    let job: String
    let folder: URL
    let seal: JournalSeal
    let isSynced: Bool
    let isInDoubt: Bool
    let watch: (any JournalWatch)?
    let guarded: Guarded<State>
    let home: JournalFolder
    let name: JournalFileName
    let queue = DispatchQueue(label: "JobJournal")

    init(
        at folder: URL,
        job: String,
        isSynced: Bool,
        calls: FileCalls = .system,
        watch: (any JournalWatch)? = nil
    ) throws {
        let opening = try JournalOpening(folder, job: job, isSynced: isSynced, calls: calls)
        self.job = job
        self.folder = folder
        self.isSynced = isSynced
        self.watch = watch
        seal = opening.log.tail.seal
        isInDoubt = opening.log.tail.session.isInDoubt
        home = opening.folder
        name = opening.name
        guarded = Guarded(State(index: opening.index, log: opening.log))
    }

    var url: URL { folder.appendingPathComponent(name.text) }

    // MARK: The end

    /// Waits for pending writes, removes the file if required, and releases it.
    func end(removing: Bool) async throws {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isIdle = guarded.withLock { state in
                state.writer.closed(FileIsClosed())
                if state.writer.hasTurn { state.waitForTheEnd.append(continuation) }
                return !state.writer.hasTurn
            }
            if isIdle { continuation.resume() }
        }
        let file = guarded.withLock { state in
            defer { state.log = nil }
            return state.log?.file
        }
        defer { file?.unlock() }
        guard removing else { return }
        do {
            if file != nil { return try home.unlink(name.text) }
            // The journal was closed before, so another one may have the file.
            guard let file = try home.openLocked(name.text) else {
                throw JobJournal.InUseError(job: job)
            }
            defer { file.unlock() }
            try home.unlink(name.text)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(file: url, underlying: error)
        }
    }
}

/// Is notified when steps run and are recorded, for tests of users' jobs.
package protocol JournalWatch: Sendable {
    /// Called when a step runs.
    ///
    /// Its outcome is not known, and its key is not in use.
    func stepRuns(_ key: String, path: [UInt8], version: Int)

    /// Called when a step's outcome was recorded.
    func stepRecorded(path: [UInt8], version: Int)
}
