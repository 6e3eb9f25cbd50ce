import Foundation
import JobKit

/// Opens, locks and reads an outbox's file, and records the interruptions of the last session.
struct OutboxOpening {
    let folder: JournalFolder
    let name: JournalFileName
    let log: RecordLog
    private(set) var machine: OutboxStateMachine
    private(set) var events: [OutboxEvent] = []

    init(
        _ url: URL,
        name: String,
        _ settings: OutboxSettings,
        calls: FileCalls
    ) throws {
        self.name = JournalFileName(name, suffix: ".outbox")
        let path = url.appendingPathComponent(self.name.text)
        do {
            folder = try JournalFolder(url, calls: calls)
            guard let file = try folder.openLocked(self.name.text) else {
                throw JobJournal.InUseError(job: name)
            }
            try folder.unlink(self.name.temporary)
            let time = settings.time()
            var bytes = try FileBytes(file)
            let found = try RecoveredOutbox(
                &bytes,
                name: name,
                isSynced: settings.isSynced,
                limit: settings.limit,
                time
            )
            if found.end < bytes.size { try file.truncate(to: found.end) }
            let seal = found.seal ?? .random()
            let session = SessionPayload(
                isSynced: settings.isSynced,
                after: found.session,
                sealedBy: seal
            )
            machine = found.machine
            let tail = RecordTail(
                seal: seal,
                head: .outbox(name: name, nextID: machine.nextID),
                session: session,
                end: found.end
            )
            var log = RecordLog(tail, file, keepsUnsynced: settings.isSynced)
            // A new file receives its name and seal at once.
            if found.end == 0 { try log.finish() }
            try OutboxOpening.startSession(
                &machine,
                &log,
                &events,
                folder,
                settings,
                isInDoubt: session.isInDoubt,
                time
            )
            self.log = log
        } catch let damage as Damage {
            throw JobJournal.DamagedError(damage, of: path)
        } catch let error as JobJournal.InUseError {
            throw error
        } catch {
            throw JobJournal.WriteError(file: path, underlying: error)
        }
    }

    private static func startSession(
        _ machine: inout OutboxStateMachine,
        _ log: inout RecordLog,
        _ events: inout [OutboxEvent],
        _ folder: JournalFolder,
        _ settings: OutboxSettings,
        isInDoubt: Bool,
        _ time: OutboxStateMachine.Time
    ) throws {
        var changes: [OutboxChangeRecord] = []
        for number in machine.slots.entries() {
            let slot = machine.slots[number]
            var progress = slot.progress
            if isInDoubt { progress.flags.insert(.mayHaveBegun) }
            // The current version of the app may be able to decode the item.
            if progress.flags.contains(.unreadable) {
                progress.flags.subtract([.parked, .unreadable])
            }
            let unwritten = progress
            progress.limitDelays(now: time.wall, addedAt: slot.addedAt)
            var error: String?
            if progress.flags.contains(.began) {
                error = interrupted(&progress, slot.id, settings, time)
                if error != nil {
                    events.append(
                        OutboxEvent(
                            id: slot.id,
                            key: machine.keyName(of: slot),
                            .failed(.park),
                            error: error
                        )
                    )
                }
            }
            if progress != unwritten {
                changes.append(OutboxChangeRecord(id: slot.id, progress: progress, error: error))
            } else if progress != slot.progress {
                machine.stateChanged(slot.id, progress, at: time)
            }
        }
        guard !changes.isEmpty else { return }
        try log.syncEarlierSessions(in: folder)
        var frames = changes.map { $0.frame(sealedBy: log.tail.seal) }
        try log.append(&frames)
        if settings.isSynced { try log.sync() }
        for (change, frame) in zip(changes, frames) {
            machine.stateChanged(
                change.id,
                change.progress,
                errorAt: change.error == nil ? nil : frame.offset,
                at: time
            )
        }
    }

    /// Counts an interruption, and delays or parks the entry.
    ///
    /// - Returns: The error, if the entry is parked.
    private static func interrupted(
        _ progress: inout OutboxProgress,
        _ id: UInt64,
        _ settings: OutboxSettings,
        _ time: OutboxStateMachine.Time
    ) -> String? {
        progress.flags.remove(.began)
        progress.flags.insert(.mayHaveBegun)
        progress.interruptions += 1
        let count = Int(progress.interruptions)
        let error = OutboxInterruptedError(id: OutboxEntry.ID(number: id), interruptions: count)
        if let limit = settings.interruptionLimit, count >= limit {
            progress.park(aside: false)
            return error.description
        }
        let delay = settings.retryPolicy.nextDelay(afterAttempt: count, error: error)
        let before = progress.flags.contains(.hasDelayBefore) ? progress.delayLength : 0
        progress.delayed(by: delay.map { $0 / .seconds(1) } ?? before, now: time.wall)
        progress.flags.insert(.afterInterruption)
        return nil
    }
}
