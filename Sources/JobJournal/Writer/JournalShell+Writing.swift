import JobKit

extension JournalShell {
    /// Writes an entry on this thread, if none writes and nothing is to be synced first or after.
    ///
    /// - Returns: Whether it was written; if not, use ``write(_:)``.
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    func writeAtOnce(_ entry: inout JournalEntry) throws -> Bool {
        guard !isSynced || entry.needsNoSync else { return false }
        let turn = guarded.withLock { state -> (JournalTail, OpenFile)? in
            guard let file = state.file, !state.tail.mustBeSynced, state.writer.turnTaken() else {
                return nil
            }
            return (state.tail, file)
        }
        guard let (taken, file) = turn else { return false }
        var tail = taken
        // Without a sync another thread may write a few batches too.
        let rounds = isSynced ? 0 : 8
        do {
            let before = tail.takeHead() + tail.takeLife()
            let place = tail.place(&entry.frame)
            let after = tail.fill()
            if before.isEmpty, after.isEmpty {
                try file.write(entry.frame.bytes, at: place)
            } else {
                try file.write(before + entry.frame.bytes + after, at: place - before.count)
            }
            let next = guarded.withLock { state in
                state.tail = tail
                commit(entry, at: place, &state)
                return state.takeBatch()
            }
            drain(from: next, rounds: rounds)
        } catch {
            fail([entry], error)
            drain(from: takeBatch(), rounds: rounds)
            throw JobJournal.WriteError(underlying: error)
        }
        return true
    }

    /// Waits, without a thread, until an entry is written, and synced if it needs to be.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    func write(_ entry: JournalEntry) async throws {
        var entry = entry
        if try writeAtOnce(&entry) { return }
        let failure = await withUnsafeContinuation { continuation in
            var waiting = entry
            waiting.done = continuation
            add(waiting, continuation)
        }
        if let failure { throw JobJournal.WriteError(underlying: failure) }
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
        if isSynced { drainElsewhere() } else { drain(from: takeBatch(), rounds: 8) }
    }

    private func drainElsewhere() {
        queue.async { [self] in drain(from: takeBatch(), rounds: .max) }
    }

    private func takeBatch() -> Batch { guarded.withLock { $0.takeBatch() } }

    /// Writes batch after batch, and leaves further ones to the journal's own thread.
    private func drain(from first: Batch, rounds: Int) {
        var batch = first
        for round in 0... {
            guard !batch.entries.isEmpty else {
                for continuation in batch.waitForTheEnd { continuation.resume() }
                return
            }
            guard round < rounds else { break }
            batch = write(batch)
        }
        // The batch was taken: it goes to the other thread as it is.
        let rest = batch
        queue.async { [self] in drain(from: rest, rounds: .max) }
    }

    /// Writes a batch, tells those who wait for it, and takes the next.
    private func write(_ batch: Batch) -> Batch {
        var entries = batch.entries
        var tail = batch.tail
        guard let file = batch.file else {
            fail(entries, JournalIsClosed())
            return takeBatch()
        }
        do {
            try startLife(&tail, file)
            var places = try write(&entries, &tail, file)
            if isSynced, entries.contains(where: { !$0.needsNoSync }) {
                beginSteps(&entries, &places)
                try file.sync()
                tail.wasSynced()
            }
            let next = guarded.withLock { state in
                state.tail = tail
                for at in entries.indices { commit(entries[at], at: places[at], &state) }
                return state.takeBatch()
            }
            for entry in entries { entry.done?.resume(returning: nil) }
            return next
        } catch {
            fail(entries, error)
            return takeBatch()
        }
    }

    /// Lets the steps begin whose beginning was written: it needs no sync.
    private func beginSteps(_ entries: inout [JournalEntry], _ places: inout [Int]) {
        let begun = entries.filter(\.needsNoSync)
        guard !begun.isEmpty else { return }
        places = zip(entries, places).filter { !$0.0.needsNoSync }.map(\.1)
        entries.removeAll(where: \.needsNoSync)
        guarded.withLock { state in
            for entry in begun { commit(entry, at: 0, &state) }
        }
        for entry in begun { entry.done?.resume(returning: nil) }
    }

    /// Where records are synced, what is there already is on the disk before a life adds to it.
    private func startLife(_ tail: inout JournalTail, _ file: OpenFile) throws {
        guard tail.mustBeSynced else { return }
        if tail.end == 0 {
            let head = tail.takeHead()
            try file.write(head, at: 0)
        }
        try file.sync()
        try home.syncEntries()
        tail.wasSynced()
    }

    private func write(
        _ entries: inout [JournalEntry],
        _ tail: inout JournalTail,
        _ file: OpenFile
    ) throws -> [Int] {
        var start = tail.end
        var bytes = tail.takeHead() + tail.takeLife()
        var places: [Int] = []
        places.reserveCapacity(entries.count)
        for at in entries.indices {
            if bytes.count > 1 << 20 {
                try file.write(bytes, at: start)
                start += bytes.count
                bytes.removeAll(keepingCapacity: true)
            }
            places.append(tail.place(&entries[at].frame))
            if bytes.isEmpty, entries.count == 1, !isSynced {
                try file.write(entries[at].frame.bytes, at: start)
                return places
            }
            bytes += entries[at].frame.bytes
        }
        bytes += tail.fill()
        try file.write(bytes, at: start)
        return places
    }

    private func commit(_ entry: JournalEntry, at offset: Int, _ state: inout State) {
        switch entry.meaning {
        case .begun(let step): state.claims.beginningRecorded(step)
        case .outcome(let step, let scopes, let token):
            let count = UInt32(entry.frame.size - Frame.headerSize)
            let place = RecordIndex.Place(offset: offset, payloadCount: count)
            state.index.outcomeRecorded(step, in: scopes, at: place)
            state.claims.outcomeRecorded(step, by: token)
        }
    }

    private func fail(_ entries: [JournalEntry], _ error: any Error) {
        let waiting = guarded.withLock { $0.writer.writeFailed(error) }
        for entry in entries + waiting { entry.done?.resume(returning: error) }
    }

    /// What one thread writes at a time.
    struct Batch {
        let entries: [JournalEntry]
        let tail: JournalTail
        let file: OpenFile?
        var waitForTheEnd: [UnsafeContinuation<Void, Never>] = []
    }
}

extension JournalShell.State {
    /// Takes the next batch; with an empty one, the turn is given back.
    mutating func takeBatch() -> JournalShell.Batch {
        let entries = writer.batchTaken()
        var batch = JournalShell.Batch(entries: entries, tail: tail, file: file)
        if entries.isEmpty { swap(&batch.waitForTheEnd, &waitForTheEnd) }
        return batch
    }
}
