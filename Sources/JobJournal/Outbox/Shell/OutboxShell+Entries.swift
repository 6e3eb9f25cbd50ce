import Foundation
import JobKit

/// An item to add.
struct OutboxNewItem: Sendable {
    let item: [UInt8]
    let key: String?
    let deduplicationID: String?
    let notBefore: Double
}

extension OutboxShell {
    /// Adds all items in one write, or none of them.
    func add(_ items: [OutboxNewItem], _ duplicates: DuplicatePolicy) throws -> [UInt64] {
        let size = items.reduce(0) { $0 + $1.item.count }
        guard size <= RecordTooLarge.limit else {
            let name = items.count == 1 ? "the item" : "the batch"
            throw writeError(RecordTooLarge(name: name, count: size))
        }
        let time = time()
        return try writeNow { [self] log in
            var additions = guarded.withLock { state in
                OutboxAdditions(items, duplicates, state.machine, sealedBy: seal, time.wall)
            }
            var frames = additions.frames(sealedBy: seal)
            guard !frames.isEmpty else { return additions.ids }
            if settings.isSynced, log.unsyncedCount + size > RecordTooLarge.limit { try log.sync() }
            try log.append(&frames)
            additions.written(frames)
            let added = additions
            guarded.withLock { state in
                for (record, place) in added.placed {
                    state.machine.entryAdded(record, at: place, time)
                }
            }
            left(added.placed.flatMap { $0.record.replaced }, otherwise: true)
            emit(added.events)
            return added.ids
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
            let found = guarded.withLock { state in
                state.machine.beginning(of: id)
                    .flatMap { next in
                        state.machine.slot(id).map { ($0, state.machine.keyName(of: $0), next) }
                    }
            }
            guard let (slot, key, next) = found else { return nil }
            var frames = [OutboxChangeRecord(id: id, progress: next).frame(sealedBy: seal)]
            try log.append(&frames)
            guarded.withLock { $0.machine.attemptBegan(id, next) }
            emit([OutboxEvent(id: id, key: key, .began)])
            let attempt = OutboxAttempt(
                slot,
                key: key,
                deduplicationID: deduplicationID,
                sealedBy: seal
            )
            return (attempt, slot.progress)
        }
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
        let request: OutboxRequest
        switch end {
        case .notBegun:
            guarded.withLock { $0.machine.startRefused(id) }
            attemptEnded(id)
            return startAttempts()
        case .unreadable(let error, var progress):
            progress.flags.formUnion([.parked, .unreadable])
            request = ending(id, progress, OutboxError.text(of: error), .failed(.park), time)
        case .succeeded: request = ending(id, nil, nil, .finished, time)
        case .cancelled(let progress):
            request = ending(id, progress, nil, nil, time)
        case .failed(let error, let response, let before):
            if case .suspend(let reason) = response {
                _ = guarded.withLock { $0.machine.reasons.insert(reason) }
            }
            let (progress, shown) = before.after(
                response,
                to: error,
                settings.retryPolicy,
                now: time.wall
            )
            request = ending(id, progress, OutboxError.text(of: error), .failed(shown), time)
        }
        submit(request)
    }

    /// Creates the request that records the result of an attempt.
    ///
    /// Without a new state, the entry leaves.
    private func ending(
        _ id: UInt64,
        _ progress: OutboxProgress?,
        _ error: String?,
        _ kind: OutboxEvent.Kind?,
        _ time: OutboxStateMachine.Time
    ) -> OutboxRequest {
        OutboxRequest(
            body: { [self] log in
                let slot = guarded.withLock { state in
                    state.machine.slot(id).map { ($0, state.machine.keyName(of: $0)) }
                }
                guard let (_, key) = slot else {
                    guarded.withLock { $0.machine.attemptEnded(id) }
                    return attemptEnded(id)
                }
                let change = progress.map { OutboxChangeRecord(id: id, progress: $0, error: error) }
                var frames = [
                    change?.frame(sealedBy: seal)
                        ?? Frame(.left, numbers: [id], sealedBy: seal)
                ]
                try log.append(&frames)
                let offset = error == nil ? nil : frames[0].offset
                guarded.withLock { state in
                    if let progress {
                        state.machine.attemptEnded(id)
                        state.machine.stateChanged(id, progress, errorAt: offset, at: time)
                    } else {
                        state.machine.entryLeft(id)
                        state.machine.attemptEnded(id)
                    }
                }
                attemptEnded(id)
                if progress == nil { left([id], otherwise: kind != .finished) }
                if let kind { emit([OutboxEvent(id: id, key: key, kind, error: error)]) }
            },
            isKept: true,
            done: { _ in }
        )
    }

    private func attemptEnded(_ id: UInt64) {
        let gate = guarded.withLock { state in
            state.attempts[id] = nil
            return state.attempts.isEmpty ? state.watchers.attempts : nil
        }
        gate?.open()
    }

    // MARK: Removal and retries

    /// Removes entries in one write, and asks their attempts to stop.
    ///
    /// `choose` returns the ids of the entries, or nil for all. Afterwards, their records are still
    /// in the file.
    func remove(
        _ choose: @escaping @Sendable (OutboxStateMachine) -> [UInt64]?
    ) throws -> (slots: [OutboxStateMachine.Slot], file: OpenFile?) {
        let (slots, attempts, file) = try writeNow { [self] log in
            let (ids, nextID, slots, keys) = guarded.withLock { state in
                let ids = choose(state.machine)
                let numbers =
                    ids.map { $0.compactMap { state.machine.slots.numbers[$0] } }
                    ?? state.machine.slots.entries()
                let slots = numbers.map { state.machine.slots[$0] }
                return (
                    ids, state.machine.nextID, slots, slots.map { state.machine.keyName(of: $0) }
                )
            }
            guard !slots.isEmpty else { return (slots, [OutboxOperation](), log.file) }
            var frames = [
                ids.map { Frame(.left, numbers: $0, sealedBy: seal) }
                    ?? Frame(.cleared, numbers: [nextID], sealedBy: seal)
            ]
            try log.append(&frames)
            let attempts = guarded.withLock { state in
                for slot in slots { state.machine.entryLeft(slot.id) }
                return slots.compactMap { state.attempts[$0.id] }
            }
            left(slots.map(\.id), otherwise: true)
            emit(zip(slots, keys).map { OutboxEvent(id: $0.id, key: $1, .removed) })
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
            var frames = [OutboxChangeRecord(id: id, progress: progress).frame(sealedBy: seal)]
            try log.append(&frames)
            let next = progress
            guarded.withLock { $0.machine.stateChanged(id, next, at: time) }
        }
    }

    // MARK: Watchers

    /// Delivers events once they are in the file, in the order of the file.
    func emit(_ events: [OutboxEvent]) {
        guard !events.isEmpty else { return }
        let streams = guarded.withLock { Array($0.watchers.streams.values) }
        for stream in streams {
            for event in events { stream.yield(event) }
        }
    }

    private func left(_ ids: [UInt64], otherwise: Bool) {
        guard !ids.isEmpty else { return }
        let waiters = guarded.withLock { $0.watchers.entriesLeft(ids, otherwise: otherwise) }
        for waiter in waiters {
            waiter.resume(with: otherwise ? .failure(CancellationError()) : .success(()))
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
