import JobKit

/// A change of the file, which is made by the thread that writes.
struct OutboxRequest: FileRequest {
    /// Makes decisions, writes, and then changes the machine.
    let body: @Sendable (inout RecordLog) throws -> Void
    /// Whether the request is done only when all earlier changes are synced.
    var needsSync = false
    /// Whether the outbox continues as usual if the body fails.
    var isOptional = false
    /// Whether the change is made later if writing fails.
    var isKept = false
    /// Called once the change is in the file, or with the error that prevented it.
    var whenDone: @Sendable ((any Error)?) -> Void = { _ in }

    init(_ body: @escaping @Sendable (inout RecordLog) throws -> Void) { self.body = body }

    func done(_ error: (any Error)?) { whenDone(error) }
}

/// The state of disk failures and of the compaction.
struct OutboxDisk {
    /// The largest file of an empty outbox.
    static let emptySize = 4_096

    var isFailing = false
    /// The results of attempts that could not be written.
    var kept: [OutboxRequest] = []
    var pause = 1.0
    var timer: OutboxTimer?
    /// The compaction that runs, and its end.
    var compaction: Promise<Void>?
    /// The file size below which no compaction is tried.
    var compactionFloor = 0
}

extension OutboxShell: FileWriterOwner {
    /// Makes a change, and blocks the calling thread until it is written.
    func writeNow<Value: Sendable>(
        isOptional: Bool = false,
        _ body: @escaping @Sendable (inout RecordLog) throws -> Value
    ) throws -> Value {
        try write(isOptional: isOptional, body).waitOnThisThread().get()
    }

    /// Makes a change, and returns the promise that it is written.
    func write<Value: Sendable>(
        isOptional: Bool = false,
        _ body: @escaping @Sendable (inout RecordLog) throws -> Value
    ) -> Promise<Result<Value, any Error>> {
        let result = Promise<Result<Value, any Error>>()
        var request = OutboxRequest { result.fulfill(.success(try body(&$0))) }
        request.isOptional = isOptional
        request.whenDone = { [self] error in
            if let error { result.fulfill(.failure(writeError(error))) }
        }
        submit(request)
        return result
    }

    /// Suspends until all earlier changes are written and, if necessary, synced.
    func flush() async throws {
        let error = Promise<(any Error)?>()
        var request = OutboxRequest { _ in }
        request.needsSync = settings.isSynced
        request.whenDone = { error.fulfill($0) }
        submit(request)
        if let error = await error.wait() { throw writeError(error) }
    }

    /// Makes a change on this thread, or on the thread that writes.
    func submit(_ request: OutboxRequest) {
        // Only the outbox's own thread waits for a sync.
        writer.submit(request, for: self) { _ in request.needsSync ? 0 : 8 }
    }

    func requestsCarriedOut() { startAttempts() }

    func carryOut(_ requests: [OutboxRequest], _ log: inout RecordLog) {
        var unsynced: [OutboxRequest] = []
        for request in requests {
            var isRecovered = false
            do {
                try recover(&log)
                isRecovered = true
                try request.body(&log)
                if request.needsSync { unsynced.append(request) } else { request.done(nil) }
            } catch {
                if !isRecovered || !request.isOptional { writingFailed() }
                if request.isKept {
                    guarded.withLock { $0.disk.kept.append(request) }
                } else {
                    request.done(error)
                }
            }
        }
        guard !unsynced.isEmpty else { return }
        var failure: (any Error)?
        do { try log.sync() } catch {
            failure = error
            writingFailed()
        }
        for request in unsynced { request.done(failure) }
    }

    // MARK: Failures

    /// Repairs the effects of an earlier failure before more is written.
    private func recover(_ log: inout RecordLog) throws {
        let (kept, isFailing) = guarded.withLock { state in
            (exchange(&state.disk.kept, with: []), state.disk.isFailing)
        }
        var rest = kept[...]
        do {
            if log.mustBeReplaced { try rewrite(&log) }
            try log.syncEarlierSessions(in: home)
            while let request = rest.first {
                try request.body(&log)
                request.done(nil)
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
        let timer = guarded.withLock { state in
            state.machine.isHeld = state.isClosing
            state.disk.isFailing = false
            state.disk.pause = 1
            return state.disk.timer.take()
        }
        timer?.finish()
    }

    /// Holds back all entries until a write has succeeded, and retries after a pause.
    private func writingFailed() {
        let (timer, pause) = guarded.withLock { state in
            state.machine.isHeld = true
            state.disk.isFailing = true
            guard state.disk.timer == nil, !state.isClosing else {
                return (nil as OutboxTimer?, 0.0)
            }
            defer { state.disk.pause = min(state.disk.pause * 2, 60) }
            let timer = OutboxTimer(on: settings.clock)
            state.disk.timer = timer
            return (timer, state.disk.pause)
        }
        timer?
            .wait(pause) { [weak self] in
                self?.guarded.withLock { $0.disk.timer = nil }
                self?.submit(OutboxRequest { _ in })
            }
    }
}
