import JobKit

/// A change of the file, which is made by the thread that writes.
struct OutboxRequest: FileRequest {
    /// Whether the request is done only when all earlier changes are synced.
    var needsSync = false
    /// Whether the change is made later if writing fails.
    var isKept = false
    /// Makes decisions, writes, and then changes the machine.
    let body: @Sendable (inout RecordLog) throws -> Void
    let written = Promise()
}

/// The state of disk failures and of the compaction.
struct OutboxDisk {
    /// The largest file of an empty outbox.
    static let emptySize = 4_096

    var isFailing = false
    /// The results of attempts that could not be written.
    var kept: [OutboxRequest] = []
    var pause = 1.0
    /// When writing is tried again, on the session's clock.
    var retryAt = Double.infinity
    /// The compaction that runs, and its end.
    var compaction: Promise?
    /// The file size below which no compaction is tried.
    var compactionFloor = 0
    /// Whether a compaction has left a new file, which must be deleted.
    var hasFailedCompaction = false
}

extension OutboxShell: FileWriterOwner {
    /// Makes a change, and blocks the calling thread until it is written.
    func writeNow<Value: Sendable>(
        _ body: @escaping @Sendable (inout RecordLog) throws -> Value
    ) throws -> Value {
        // The promise orders the assignment before the use.
        nonisolated(unsafe) var value: Value?
        let request = OutboxRequest { value = try body(&$0) }
        submit(request)
        let error = request.written.waitOnThisThread()
        return try written(value, error)
    }

    /// Makes a change, and suspends until it is written and, if necessary, synced.
    func write<Value: Sendable>(
        needsSync: Bool = false,
        _ body: @escaping @Sendable (inout RecordLog) throws -> Value
    ) async throws -> Value {
        nonisolated(unsafe) var value: Value?
        let request = OutboxRequest(needsSync: needsSync && settings.isSynced) {
            value = try body(&$0)
        }
        submit(request)
        let error = await request.written.wait()
        return try written(value, error)
    }

    private func written<Value>(_ value: Value?, _ error: (any Error)?) throws -> Value {
        guard error == nil, let value else { throw writeError(error ?? FileIsClosed()) }
        return value
    }

    /// Makes a change on this thread, or on the thread that writes.
    func submit(_ request: OutboxRequest) {
        // Only the outbox's own thread waits for a sync.
        writer.submit(request, for: self) { _ in request.needsSync ? 0 : 8 }
    }

    func requestsCarriedOut() { startAttempts() }

    func carryOut(_ requests: inout [OutboxRequest], _ log: inout RecordLog) {
        var unsynced: [OutboxRequest] = []
        for request in requests {
            do {
                try recover(&log)
                try request.body(&log)
                if request.needsSync { unsynced.append(request) } else { request.written.fulfill() }
            } catch {
                writingFailed()
                if request.isKept {
                    guarded.withLock { $0.disk.kept.append(request) }
                } else {
                    request.written.fulfill(error)
                }
            }
        }
        guard !unsynced.isEmpty else { return }
        var failure: (any Error)?
        do { try log.sync() } catch {
            failure = error
            writingFailed()
        }
        for request in unsynced { request.written.fulfill(failure) }
    }

    // MARK: Failures

    /// Repairs the effects of an earlier failure before more is written.
    private func recover(_ log: inout RecordLog) throws {
        let (kept, isFailing, hasFailedCompaction) = guarded.withLock { state in
            (
                exchange(&state.disk.kept, with: []), state.disk.isFailing,
                exchange(&state.disk.hasFailedCompaction, with: false)
            )
        }
        if hasFailedCompaction { try? home.unlinkReplacement() }
        var rest = kept[...]
        do {
            if log.mustBeReplaced { try rewrite(&log) }
            try log.syncEarlierSessions(in: home)
            while let request = rest.first {
                try request.body(&log)
                request.written.fulfill()
                rest.removeFirst()
            }
            if isFailing, kept.isEmpty {
                // A record without meaning tests whether the disk accepts writes again.
                try log.append(.filler(Record.headerSize + 1, with: fileKey))
            }
        } catch {
            let unwritten = Array(rest)
            guarded.withLock { $0.disk.kept = unwritten + $0.disk.kept }
            throw error
        }
        guard isFailing else { return }
        guarded.withLock { state in
            state.machine.isHeld = state.isClosing
            state.disk.isFailing = false
            state.disk.pause = 1
            state.disk.retryAt = .infinity
        }
    }

    /// Holds back all entries until a write has succeeded, and retries after a pause.
    private func writingFailed() {
        let now = time().clock
        guarded.withLock { state in
            state.machine.isHeld = true
            state.disk.isFailing = true
            guard state.disk.retryAt == .infinity else { return }
            state.disk.retryAt = now + state.disk.pause
            state.disk.pause = min(state.disk.pause * 2, 60)
        }
    }
}
