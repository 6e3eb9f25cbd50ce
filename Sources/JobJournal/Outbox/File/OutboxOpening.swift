import Foundation
import JobKit

/// Reads an outbox's file, and records the interruptions of the last session.
struct OutboxOpening {
    let home: JournalFolder
    private(set) var log: RecordLog
    private(set) var machine: OutboxStateMachine
    private(set) var events: [OutboxEvent] = []

    init(_ home: JournalFolder, _ file: OpenFile, name: String, _ settings: OutboxSettings) throws {
        self.home = home
        let time = settings.time()
        var bytes = try FileBytes(file)
        var machine = OutboxStateMachine(limit: settings.options.concurrencyLimit)
        let isSynced = settings.isSynced
        let head = FileHead.outbox(name: name, nextID: 1)
        let found = try RecoveredFile(&bytes, head, isSynced: isSynced) { machine.apply($0, time) }
        let newHead = FileHead.outbox(name: name, nextID: machine.nextID)
        let tail = try found.tail(of: file, newHead, isSynced: isSynced)
        self.machine = machine
        log = RecordLog(tail, file, keepsUnsynced: isSynced)
        // A new file receives its name and key at once.
        if found.end == 0 { try log.finish() }
        try startSession(settings, time)
    }

    private mutating func startSession(
        _ settings: OutboxSettings,
        _ time: OutboxStateMachine.Time
    ) throws {
        var changes: [OutboxEntryPayload] = []
        for number in machine.slots.entries() {
            let (slot, key) = machine.entry(at: number)
            var change = OutboxEntryPayload(id: slot.id, progress: slot.progress)
            if log.tail.session.isInDoubt { change.progress.flags.insert(.mayHaveBegun) }
            // The current version of the app may be able to decode the item.
            if change.progress.flags.contains(.unreadable) {
                change.progress.flags.subtract([.parked, .unreadable])
            }
            let unwritten = change.progress
            change.progress.limitDelays(now: time.wall, addedAt: slot.addedAt)
            if change.progress.flags.contains(.began) {
                change.error = change.progress.interrupted(slot.id, settings, time)
            }
            if let error = change.error {
                events.append(OutboxEvent(slot.id, key, .failed(.park), error: error))
            }
            if change.progress != unwritten {
                changes.append(change)
            } else if change.progress != slot.progress {
                machine.stateChanged(slot.id, change.progress, at: time)
            }
        }
        guard !changes.isEmpty else { return }
        try log.syncEarlierSessions(in: home)
        var records = changes.map { $0.record(.change, with: log.tail.fileKey) }
        try log.append(&records)
        if settings.isSynced { try log.sync() }
        for (change, record) in zip(changes, records) {
            let error = change.error == nil ? nil : record.location
            machine.stateChanged(change.id, change.progress, errorAt: error, at: time)
        }
    }
}

extension OutboxProgress {
    /// Counts an interruption, and delays or parks the entry.
    ///
    /// - Returns: The error, if the entry is parked.
    fileprivate mutating func interrupted(
        _ id: UInt64,
        _ settings: OutboxSettings,
        _ time: OutboxStateMachine.Time
    ) -> String? {
        flags.remove(.began)
        flags.insert(.mayHaveBegun)
        interruptions += 1
        let count = Int(interruptions)
        let error = OutboxInterruptedError(id: OutboxEntry.ID(number: id), interruptions: count)
        if let limit = settings.options.interruptionLimit, count >= limit {
            park(aside: false)
            return error.description
        }
        let delay = settings.options.retryPolicy.nextDelay(afterAttempt: count, error: error)
        delayed(by: delay.map { $0 / .seconds(1) } ?? delayBefore ?? 0, now: time.wall)
        flags.insert(.afterInterruption)
        return nil
    }
}
