import Foundation

/// Opens, locks and reads a journal's file.
struct JournalOpening: Sendable {
    let folder: JournalFolder
    let name: JournalFileName
    let index: RecordIndex
    let log: RecordLog

    init(_ url: URL, job: String, isSynced: Bool, calls: FileCalls) throws {
        name = JournalFileName(job)
        let path = url.appendingPathComponent(name.text)
        do {
            folder = try JournalFolder(url, calls: calls)
            guard let file = try folder.openLocked(name.text) else {
                throw JobJournal.InUseError(job: job)
            }
            try folder.unlink(name.temporary)
            var bytes = try FileBytes(file)
            let found = try RecoveredJournal(&bytes, job: job, isSynced: isSynced)
            let seal = found.seal ?? .random()
            let session = SessionPayload(isSynced: isSynced, after: found.session, sealedBy: seal)
            if found.end < bytes.size { try file.truncate(to: found.end) }
            let tail = RecordTail(
                seal: seal,
                head: .journal(job: job),
                session: session,
                end: found.end
            )
            let rewriting = JournalRewriting(found, tail)
            if rewriting.isWorthIt {
                (index, log) = try rewriting.write(folder, name, reading: &bytes)
            } else {
                index = found.index
                log = RecordLog(tail, file)
            }
        } catch let damage as Damage {
            throw JobJournal.DamagedError(damage, of: path)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(file: path, underlying: error)
        }
    }
}
