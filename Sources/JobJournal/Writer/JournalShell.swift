import Dispatch
import Foundation
import JobKit

/// Owns the lock of a journal, and carries out what its machines decide.
///
/// No system call is made under the lock. One thread at a time writes: without syncs the thread
/// whose step has ended, and those whose steps end meanwhile wait for it without a thread; with
/// syncs the journal's own.
final class JournalShell: Sendable {
    struct State {
        var index: RecordIndex
        var claims = StepClaims()
        var writer = WriterStateMachine<JournalEntry>()
        /// Used by the thread that has the turn.
        var tail: JournalTail
        /// Nil when the journal is closed.
        var file: OpenFile?
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
        seal = opening.tail.seal
        isInDoubt = opening.tail.life.isInDoubt
        home = opening.folder
        name = opening.name
        guarded = Guarded(State(index: opening.index, tail: opening.tail, file: opening.file))
    }

    var url: URL { folder.appendingPathComponent(name.text) }

    // MARK: The end

    /// Returns when what waits is written and the file is let go; removes it first if told so.
    func end(removing: Bool) async throws {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isIdle = guarded.withLock { state in
                state.writer.closed(JournalIsClosed())
                if state.writer.hasTurn { state.waitForTheEnd.append(continuation) }
                return !state.writer.hasTurn
            }
            if isIdle { continuation.resume() }
        }
        let file = guarded.withLock { state in
            defer { state.file = nil }
            return state.file
        }
        defer { file?.unlock() }
        guard removing else { return }
        do {
            if file != nil { return try home.unlink(name.text) }
            // Closed before, so that another journal may have the file by now.
            guard let file = try home.openLocked(name.text) else {
                throw JobJournal.InUseError(job: job)
            }
            defer { file.unlock() }
            try home.unlink(name.text)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(underlying: error)
        }
    }
}

/// Hears of the steps that run, for tests of users' jobs.
package protocol JournalWatch: Sendable {
    /// A step runs: neither its outcome was known, nor is it in use.
    func stepRuns(_ key: String, path: [UInt8], version: Int)

    /// A step's outcome is recorded.
    func stepRecorded(path: [UInt8], version: Int)
}
