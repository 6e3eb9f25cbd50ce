import Foundation

/// A journal's file that is open, locked and read: what the shell starts from.
struct JournalOpening: Sendable {
    let folder: JournalFolder
    let name: JournalFileName
    let file: OpenFile
    let index: RecordIndex
    let tail: JournalTail

    init(_ url: URL, job: String, isSynced: Bool, calls: FileCalls) throws {
        name = JournalFileName(job: job)
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
            let boot = MachineStart.digest(seal)
            let isSameStart = found.life.map { $0.boot != nil && $0.boot == boot } ?? true
            let life = LifePayload(
                isSynced: isSynced,
                isInDoubt: found.life?.isInDoubt == true || !isSameStart,
                boot: boot
            )
            if found.end < bytes.size { try file.truncate(to: found.end) }
            let rewriting = JournalRewriting(found, seal: seal, job: job, life: life)
            if rewriting.isWorthIt {
                (self.file, index, tail) = try rewriting.write(folder, name, reading: &bytes)
            } else {
                self.file = file
                index = found.index
                tail = JournalTail(seal: seal, job: job, life: life, end: found.end)
            }
        } catch let damage as Damage {
            throw JobJournal.DamagedError(file: path, offset: damage.offset, reason: damage.reason)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(underlying: error)
        }
    }
}
