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
                for (entry, location) in zip(entries, locations) {
                    state.machine.entryAdded(entry, at: location, time)
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
            let found = guarded.withLock {
                state -> (OutboxStateMachine.Slot, String?, OutboxProgress)? in
                guard let next = state.machine.beginning(of: id),
                    let slot = state.machine.slot(id)
                else { return nil }
                return (slot, state.machine.keyName(of: slot), next)
            }
            guard let (slot, key, next) = found else { return nil }
            try change(id, next, nil, &log)
            guarded.withLock { $0.machine.attemptBegan(id, next) }
            emit([OutboxEvent(id, key, .began)])
            let attempt = OutboxAttempt(
                slot,
                key: key,
                deduplicationID: deduplicationID,
                with: fileKey
            )
            return (attempt, slot.progress)
        }
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
        let change = OutboxChangePayload(id: id, progress: progress, error: error)
        var records = [change.record(with: fileKey)]
        try log.append(&records)
        return error == nil ? nil : records[0].location
    }

    /// Whether an attempt that has begun may still call `perform`.
    func mayPerform(_ id: UInt64) -> Bool {
        guarded.withLock { state in
            state.machine.reasons.isEmpty && !state.isClosing && state.machine.slot(id) != nil
        }
    }

    /// Handles the end of an attempt's operation.
    func attemptFinished(_ operation: OutboxOperation) {
        let id = operation.id
        let end = operation.end(isClosing: guarded.withLock { $0.isClosing })
        let time = time()
        var (progress, error, kind) = (
            nil as OutboxProgress?, nil as String?, nil as OutboxEvent.Kind?
        )
        switch end {
        case .notBegun:
            guarded.withLock { $0.machine.startRefused(id) }
            attemptEnded(id)
            return startAttempts()
        case .unreadable(let failure, let before):
            progress = before
            progress?.flags.formUnion([.parked, .unreadable])
            error = OutboxEvent.text(of: failure)
            kind = .failed(.park)
        case .succeeded: kind = .finished
        case .cancelled(let after): progress = after
        case .failed(let failure, let response, let before):
            if case .suspend(let reason) = response {
                _ = guarded.withLock { $0.machine.reasons.insert(reason) }
            }
            let policy = settings.retryPolicy
            let (next, shown) = before.after(response, to: failure, policy, now: time.wall)
            progress = next
            error = OutboxEvent.text(of: failure)
            kind = .failed(shown)
        }
        let (next, text, event) = (progress, error, kind)
        let body: @Sendable (inout RecordLog) throws -> Void = { [self] log in
            try recordEnd(id, next, text, event, time, &log)
        }
        submit(OutboxRequest(body: body, isKept: true))
    }

    /// Records the result of an attempt.
    ///
    /// Without a new state, the entry leaves.
    private func recordEnd(
        _ id: UInt64,
        _ progress: OutboxProgress?,
        _ error: String?,
        _ kind: OutboxEvent.Kind?,
        _ time: OutboxStateMachine.Time,
        _ log: inout RecordLog
    ) throws {
        let found = guarded.withLock { state in
            state.machine.slot(id).map { (key: state.machine.keyName(of: $0), isThere: true) }
        }
        if let progress, found != nil {
            let location = try change(id, progress, error, &log)
            guarded.withLock { state in
                state.machine.attemptEnded(id)
                state.machine.stateChanged(id, progress, errorAt: location, at: time)
            }
        } else {
            if found != nil {
                var records = [Record(.left, numbers: [id], with: fileKey)]
                try log.append(&records)
            }
            apply(leaving: found == nil ? [] : [id], otherwise: kind != .finished) { state in
                state.machine.entryLeft(id)
                state.machine.attemptEnded(id)
            }
        }
        attemptEnded(id)
        if let found, let kind { emit([OutboxEvent(id, found.key, kind, error: error)]) }
    }

    private func attemptEnded(_ id: UInt64) {
        let ended = guarded.withLock { state in
            state.attempts[id] = nil
            return state.attempts.isEmpty ? state.attemptsEnded : nil
        }
        ended?.fulfill(())
    }

    // MARK: Removal and retries

    /// Removes entries in one write, and asks their attempts to stop.
    ///
    /// `choose` returns the entries, or nil for all. Afterwards, their records are still in the
    /// file.
    func remove(
        _ choose: @escaping @Sendable (OutboxStateMachine) -> [OutboxStateMachine.Number]?
    ) throws -> (slots: [OutboxStateMachine.Slot], file: OpenFile) {
        let (slots, attempts, file) = try writeNow { [self] log in
            let (slots, isAll, nextID, keys) = guarded.withLock { state in
                let (machine, chosen) = (state.machine, choose(state.machine))
                let slots = (chosen ?? machine.slots.entries()).map { machine.slots[$0] }
                let keys = slots.map { machine.keyName(of: $0) }
                return (slots, chosen == nil, machine.nextID, keys)
            }
            guard !slots.isEmpty else { return (slots, [OutboxOperation](), log.file) }
            var records = [
                isAll
                    ? Record(.cleared, numbers: [nextID], with: fileKey)
                    : Record(.left, numbers: slots.map(\.id), with: fileKey)
            ]
            try log.append(&records)
            let attempts = apply(leaving: slots.map(\.id), otherwise: true) { state in
                for slot in slots { state.machine.entryLeft(slot.id) }
                return slots.compactMap { state.attempts[$0.id] }
            }
            emit(zip(slots, keys).map { OutboxEvent($0.id, $1, .removed) })
            return (slots, attempts, log.file)
        }
        for attempt in attempts { attempt.cancelElsewhere() }
        return (slots, file)
    }

    func retry(_ id: UInt64) throws {
        let time = time()
        try writeNow { [self] log in
            let slot = guarded.withLock { $0.machine.slot(id) }
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

extension OutboxProgress {
    /// Returns the state after a failure.
    ///
    /// Nil if the entry leaves.
    ///
    /// - Returns: The state, and the response that the event reports.
    fileprivate func after(
        _ response: OutboxFailureResponse,
        to error: any Error,
        _ policy: RetryPolicy,
        now: Double
    ) -> (OutboxProgress?, OutboxFailureResponse) {
        var next = self
        next.attemptEnded()
        next.failures += 1
        switch response {
        case .retry(let after):
            next.charged += 1
            next.uncharged = 0
            let delay = after ?? policy.nextDelay(afterAttempt: Int(next.charged), error: error)
            guard let delay else {
                next.park(aside: false)
                return (next, .park)
            }
            next.delayed(by: delay / .seconds(1), now: now)
        case .retryUncharged(let after):
            next.uncharged += 1
            let delay = after ?? policy.nextDelay(afterAttempt: Int(next.uncharged), error: error)
            guard delay != nil || flags.contains(.hasDelayBefore) else {
                next.park(aside: false)
                return (next, .park)
            }
            next.delayed(by: delay.map { $0 / .seconds(1) } ?? delayLength, now: now)
        case .suspend: break
        case .park, .parkAside:
            next.charged += 1
            next.uncharged = 0
            next.park(aside: response == .parkAside)
        case .drop: return (nil, response)
        }
        return (next, response)
    }
}
