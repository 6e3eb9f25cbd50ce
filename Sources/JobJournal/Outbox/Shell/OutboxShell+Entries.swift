import Foundation
import JobKit

extension OutboxShell {
    /// Adds all items in one write, or none of them.
    func add(_ items: [OutboxEntryPayload], _ duplicates: DuplicatePolicy) throws -> [UInt64] {
        let size = items.reduce(0) { $0 + $1.item.count }
        guard size <= home.calls.sizeLimit else {
            let name = items.count == 1 ? "the item" : "the batch"
            throw writeError(RecordTooLarge(name: name, count: size, limit: home.calls.sizeLimit))
        }
        let time = time()
        return try writeNow { [self] log in
            let additions = guarded.withLock { state in
                OutboxAdditions(items, duplicates, state.machine, with: fileKey, time.wall)
            }
            var records = additions.records(with: fileKey)
            guard !records.isEmpty else { return additions.ids }
            if settings.isSynced, log.unsyncedCount + size > home.calls.sizeLimit { try log.sync() }
            try log.append(&records)
            let entries = additions.entries
            let locations = records.suffix(entries.count).map(\.location)
            apply(leaving: entries.flatMap(\.replaced), otherwise: true) { state in
                for at in entries.indices {
                    state.machine.entryAdded(entries[at], at: locations[at], time)
                }
            }
            emit(additions.events)
            return additions.ids
        }
    }

    // MARK: Attempts

    /// Records that an attempt begins.
    ///
    /// Nil if the attempt may no longer begin.
    func begin(
        _ id: UInt64,
        _ deduplicationID: String?
    ) async throws -> (attempt: OutboxAttempt, progress: OutboxProgress)? {
        try await write(needsSync: true) { [self] log in
            let (next, entry) = guarded.withLock { state in
                (state.machine.beginning(of: id), state.machine.entry(id))
            }
            guard let next, let (slot, key) = entry else { return nil }
            try change(id, next, nil, &log)
            guarded.withLock { $0.machine.attemptBegan(id, next) }
            emit([OutboxEvent(id, key, .began)])
            return (OutboxAttempt(slot, key, deduplicationID, with: fileKey), slot.progress)
        }
    }

    /// Delays an entry whose record the disk does not return now.
    func readingFailed(_ id: UInt64) {
        let time = time()
        guarded.withLock { $0.machine.readingFailed(id, time) }
    }

    /// Records the new state of an entry.
    ///
    /// - Returns: The location of the error, if there is one.
    @discardableResult
    private func change(
        _ id: UInt64,
        _ progress: OutboxProgress,
        _ error: String?,
        _ log: inout RecordLog
    ) throws -> RecordLocation? {
        let change = OutboxEntryPayload(id: id, progress: progress, error: error)
        let location = try log.append(change.record(.change, with: fileKey))
        return error == nil ? nil : location
    }

    /// Whether an attempt that has begun may still call `perform`.
    func mayPerform(_ id: UInt64) -> Bool {
        guarded.withLock { state in
            state.machine.reasons.isEmpty && !state.isClosing && state.machine.entry(id) != nil
        }
    }

    /// Handles the end of an attempt's operation.
    func attemptFinished(_ operation: OutboxOperation) {
        let (id, time) = (operation.id, time())
        let isClosing = guarded.withLock { $0.isClosing }
        guard let end = operation.end(isClosing: isClosing, now: time.wall) else {
            guarded.withLock { $0.machine.startRefused(id) }
            attemptEnded(id)
            return startAttempts()
        }
        if case .failed(.suspend(let reason))? = end.event {
            _ = guarded.withLock { $0.machine.reasons.insert(reason) }
        }
        submit(OutboxRequest(isKept: true) { [self] log in try record(end, of: id, time, &log) })
    }

    /// Records the result of an attempt, whose entry may have left before.
    private func record(
        _ end: OutboxAttemptEnd,
        of id: UInt64,
        _ time: OutboxStateMachine.Time,
        _ log: inout RecordLog
    ) throws {
        let entry = guarded.withLock { $0.machine.entry(id) }
        if let progress = end.progress, entry != nil {
            let location = try change(id, progress, end.error, &log)
            guarded.withLock { state in
                state.machine.attemptEnded(id)
                state.machine.stateChanged(id, progress, errorAt: location, at: time)
            }
        } else {
            if entry != nil { try log.append(Record(.left, numbers: [id], with: fileKey)) }
            apply(leaving: entry == nil ? [] : [id], otherwise: end.event != .finished) { state in
                state.machine.entryLeft(id)
                state.machine.attemptEnded(id)
            }
        }
        attemptEnded(id)
        if let entry, let event = end.event {
            emit([OutboxEvent(id, entry.key, event, error: end.error)])
        }
    }

    private func attemptEnded(_ id: UInt64) {
        let ended = guarded.withLock { state in
            state.attempts[id] = nil
            return state.attempts.isEmpty ? state.attemptsEnded : nil
        }
        ended?.fulfill()
    }

    // MARK: Removal and retries

    /// Removes entries in one write, and asks their attempts to stop.
    ///
    /// `choose` returns the entries, or nil for all. Afterwards, their records are still in the
    /// file.
    func remove(
        _ choose: @escaping @Sendable (OutboxStateMachine) -> [OutboxStateMachine.Number]?
    ) throws -> (entries: [OutboxStateMachine.Entry], file: OpenFile) {
        try writeNow { [self] log in
            let (entries, isAll, nextID) = guarded.withLock { state in
                let (machine, chosen) = (state.machine, choose(state.machine))
                let entries = (chosen ?? machine.slots.entries()).map { machine.entry(at: $0) }
                return (entries, chosen == nil, machine.nextID)
            }
            guard !entries.isEmpty else { return (entries, log.file) }
            let ids = entries.map { $0.slot.id }
            try log.append(
                isAll
                    ? Record(.cleared, numbers: [nextID], with: fileKey)
                    : Record(.left, numbers: ids, with: fileKey)
            )
            let attempts = apply(leaving: ids, otherwise: true) { state in
                for id in ids { state.machine.entryLeft(id) }
                return ids.compactMap { state.attempts[$0] }
            }
            emit(entries.map { OutboxEvent($0.slot.id, $0.key, .removed) })
            for attempt in attempts { attempt.cancelElsewhere() }
            return (entries, log.file)
        }
    }

    func retry(_ id: UInt64) throws {
        let time = time()
        try writeNow { [self] log in
            let slot = guarded.withLock { $0.machine.entry(id)?.slot }
            guard let slot, slot.phase == .waiting, slot.progress.isParked || slot.dueAt != nil
            else {
                return
            }
            var progress = slot.progress
            progress.retried()
            try change(id, progress, nil, &log)
            let next = progress
            guarded.withLock { $0.machine.stateChanged(id, next, at: time) }
        }
    }
}
