import Foundation
import JobKit

/// Owns the lock of a journal, and carries out the decisions of its machines.
///
/// Without syncs, the thread of a step that has ended writes its record, and other steps that end
/// in the meantime wait without blocking a thread. With syncs, the journal's own thread writes.
final class JournalShell: Sendable {
    struct State {
        var index: RecordIndex
        var claims = StepClaims()
    }

    let job: String
    let fileKey: FileKey
    let isSynced: Bool
    let isInDoubt: Bool
    let watch: (any JournalWatch)?
    let guarded: Guarded<State>
    let file: OpenFile
    let home: JournalFolder
    let writer: FileWriter<JournalShell>

    init(
        at folder: URL,
        job: String,
        isSynced: Bool,
        calls: FileCalls = .system,
        watch: (any JournalWatch)? = nil
    ) throws {
        let name = JournalFileName(job)
        let (home, index, log) = try JournalFolder.open(folder, name, of: job, calls: calls) {
            home,
            file in
            try JournalShell.opened(file, in: home, job: job, isSynced: isSynced)
        }
        self.job = job
        self.isSynced = isSynced
        self.watch = watch
        self.home = home
        fileKey = log.tail.fileKey
        isInDoubt = log.tail.session.isInDoubt
        file = log.file
        writer = FileWriter(log)
        guarded = Guarded(State(index: index))
    }

    private static func opened(
        _ file: OpenFile,
        in home: JournalFolder,
        job: String,
        isSynced: Bool
    ) throws -> (JournalFolder, RecordIndex, RecordLog) {
        var bytes = try FileBytes(file)
        var index = RecordIndex()
        let head = FileHead.journal(job: job)
        let found = try RecoveredFile(&bytes, head, isSynced: isSynced) { index.apply($0) }
        let tail = try found.tail(of: file, head, isSynced: isSynced)
        // In a synced file, sectors are filled before and after the last session.
        let fillers = tail.fillsSectors ? 3 * RecordScan.sector : 0
        let live = RecordTail.headSize(head, isSynced: false) + index.liveBytes + fillers
        guard found.end > 2 * live else { return (home, index, RecordLog(tail, file)) }
        let (rewritten, log) = try index.rewritten(tail, in: home, reading: &bytes)
        return (home, rewritten, log)
    }

    var url: URL { home.file }

    // MARK: The end

    /// Waits for pending writes, removes the file if required, and releases it.
    func end(removing: Bool) async throws {
        let file = await writer.close()
        defer { file?.unlock() }
        guard removing else { return }
        do {
            if file != nil { return try home.unlink(home.name.text) }
            // The journal was closed before, so another one may have the file.
            guard let file = try home.openLocked() else {
                throw JobJournal.InUseError(job: job)
            }
            defer { file.unlock() }
            try home.unlink(home.name.text)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(file: url, underlying: error)
        }
    }
}

extension RecordIndex {
    /// Writes a new file without obsolete records, and puts it in the place of the old one.
    ///
    /// These are replaced outcomes, the beginnings of steps that have succeeded, earlier sessions,
    /// and fillers.
    fileprivate func rewritten(
        _ tail: RecordTail,
        in home: JournalFolder,
        reading bytes: inout FileBytes
    ) throws -> (RecordIndex, RecordLog) {
        var log = RecordLog(tail.ofNewFile(), try home.createReplacement())
        var index = RecordIndex()
        index.reserve(count)
        for step in begun {
            var record = Record(.begun, step.bytes, with: tail.fileKey)
            try log.add(&record)
            index.stepBegan(step)
        }
        for location in locations.values.sorted(by: { $0.offset < $1.offset }) {
            let isCopied = try bytes.record(at: location, with: tail.fileKey) { found in
                index.apply(try log.add(copyOf: found))
            }
            guard isCopied == true else { throw Damage(offset: location.offset, reason: .check) }
        }
        try log.takePlace(in: home, isSynced: true)
        try log.syncEntries(in: home)
        return (index, log)
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
