import JobKit

extension JournalShell: FileWriterOwner {
    /// Submits an entry, and writes it on this thread if no other thread writes and it needs no
    /// sync.
    func submit(_ entry: JournalEntry) {
        writer.submit(entry, for: self) { log in
            guard isSynced else { return 8 }
            return entry.needsNoSync && !log.mustBeSynced ? 1 : 0
        }
    }

    /// Suspends until an entry is written and, if necessary, synced.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError``.
    func write(_ entry: JournalEntry) async throws {
        submit(entry)
        try check(await entry.written.wait())
    }

    func check(_ failure: (any Error)?) throws {
        if let failure { throw JobJournal.WriteError(file: url, underlying: failure) }
    }

    func carryOut(_ entries: inout [JournalEntry], _ log: inout RecordLog) throws {
        try log.syncEarlierSessions(in: home)
        try log.append(&entries)
        if isSynced {
            // Steps that wait for a start record continue, because that needs no sync.
            commit(entries.filter(\.needsNoSync))
            entries.removeAll(where: \.needsNoSync)
            if !entries.isEmpty { try log.sync() }
        }
        commit(entries)
    }

    func requestsCarriedOut() {}

    private func commit(_ entries: [JournalEntry]) {
        guarded.withLock { state in
            for entry in entries {
                switch entry.meaning {
                case .begun(let step): state.claims.startRecorded(step)
                case .outcome(let step, let scopes, let token):
                    state.index.outcomeRecorded(step, in: scopes, at: entry.record.location)
                    state.claims.outcomeRecorded(step, by: token)
                }
            }
        }
        for entry in entries { entry.written.fulfill() }
    }
}
