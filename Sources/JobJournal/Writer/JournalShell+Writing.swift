import JobKit

extension JournalShell {
    /// Writes an entry on this thread, if no other thread writes and no sync is needed.
    ///
    /// - Returns: Whether it was written. If not, use ``write(_:)``.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    func writeAtOnce(_ entry: JournalEntry) throws -> Bool {
        guard !isSynced || entry.needsNoSync else { return false }
        let batch = guarded.withLock { state -> Batch? in
            guard let log = state.log, !log.mustBeSynced, state.writer.turnTaken() else {
                return nil
            }
            return Batch(entries: [entry], log: log)
        }
        guard let batch else { return false }
        let (next, failure) = write(batch)
        // Without syncs, this thread also writes a few batches that were added in between.
        drain(from: next, rounds: isSynced ? 0 : 8)
        if let failure { throw JobJournal.WriteError(file: url, underlying: failure) }
        return true
    }

    /// Suspends until an entry is written and, if necessary, synced.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    func write(_ entry: JournalEntry) async throws {
        if try writeAtOnce(entry) { return }
        let failure = await withUnsafeContinuation { continuation in
            var waiting = entry
            waiting.done = continuation
            add(waiting, continuation)
        }
        if let failure { throw JobJournal.WriteError(file: url, underlying: failure) }
    }

    private func add(
        _ entry: JournalEntry,
        _ continuation: UnsafeContinuation<(any Error)?, Never>
    ) {
        let decision = guarded.withLock { state -> (refusal: (any Error)?, hasTurn: Bool) in
            if let refusal = state.writer.refusal { return (refusal, false) }
            return (nil, state.writer.entryAdded(entry))
        }
        if let refusal = decision.refusal { return continuation.resume(returning: refusal) }
        guard decision.hasTurn else { return }
        let first = guarded.withLock { $0.takeBatch() }
        drain(from: first, rounds: isSynced ? 0 : 8)
    }

    /// Writes up to `rounds` batches, and leaves the rest to the journal's own thread.
    private func drain(from first: Batch, rounds: Int) {
        var batch = first
        for round in 0... {
            guard !batch.entries.isEmpty else {
                for continuation in batch.waitForTheEnd { continuation.resume() }
                return
            }
            guard round < rounds else { break }
            (batch, _) = write(batch)
        }
        // This batch is no longer in the queue, so the other thread must receive it.
        let rest = batch
        queue.async { [self] in drain(from: rest, rounds: .max) }
    }

    /// Writes a batch, resumes the Swift tasks that wait for it, and takes the next one.
    private func write(_ batch: Batch) -> (next: Batch, failure: (any Error)?) {
        var entries = batch.entries
        guard var log = batch.log else { return fail(entries, FileIsClosed()) }
        do {
            try log.syncEarlierSessions(in: home)
            try log.append(&entries)
            if isSynced, entries.contains(where: { !$0.needsNoSync }) {
                beginSteps(&entries)
                try log.sync()
            }
            let next = guarded.withLock { state in
                state.log = log
                for entry in entries { commit(entry, &state) }
                return state.takeBatch()
            }
            for entry in entries { entry.done?.resume(returning: nil) }
            return (next, nil)
        } catch {
            return fail(entries, error)
        }
    }

    /// Resumes the steps that wait for a written beginning, because that needs no sync.
    private func beginSteps(_ entries: inout [JournalEntry]) {
        let begun = entries.filter(\.needsNoSync)
        guard !begun.isEmpty else { return }
        entries.removeAll(where: \.needsNoSync)
        guarded.withLock { state in
            for entry in begun { commit(entry, &state) }
        }
        for entry in begun { entry.done?.resume(returning: nil) }
    }

    private func commit(_ entry: JournalEntry, _ state: inout State) {
        switch entry.meaning {
        case .begun(let step): state.claims.beginningRecorded(step)
        case .outcome(let step, let scopes, let token):
            let count = UInt32(entry.frame.size - Frame.headerSize)
            let place = RecordIndex.Place(offset: entry.frame.offset, payloadCount: count)
            state.index.outcomeRecorded(step, in: scopes, at: place)
            state.claims.outcomeRecorded(step, by: token)
        }
    }

    private func fail(_ entries: [JournalEntry], _ error: any Error) -> (Batch, (any Error)?) {
        let (waiting, next) = guarded.withLock { ($0.writer.writeFailed(error), $0.takeBatch()) }
        for entry in entries + waiting { entry.done?.resume(returning: error) }
        return (next, error)
    }

    /// The entries that one thread writes at a time.
    struct Batch {
        let entries: [JournalEntry]
        let log: RecordLog?
        var waitForTheEnd: [UnsafeContinuation<Void, Never>] = []
    }
}

extension JournalShell.State {
    /// Takes the next batch.
    ///
    /// If there are no entries, the turn ends and the batch is empty.
    mutating func takeBatch() -> JournalShell.Batch {
        let entries = writer.batchTaken()
        var batch = JournalShell.Batch(entries: entries, log: log)
        if entries.isEmpty { swap(&batch.waitForTheEnd, &waitForTheEnd) }
        return batch
    }
}
