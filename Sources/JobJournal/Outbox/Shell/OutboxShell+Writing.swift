import Dispatch
import Foundation
import JobKit

/// A change of the file, which is performed by the thread that has the turn.
struct OutboxRequest: Sendable {
    /// Makes decisions, writes, and then changes the machine.
    let body: @Sendable (inout RecordLog) throws -> Void
    var needsSync = false
    /// Whether the outbox continues as usual if the body fails.
    var isOptional = false
    /// Whether the change is made later if writing fails.
    var isKept = false
    /// Called once the change is in the file, or with the error that prevented it.
    let done: @Sendable ((any Error)?) -> Void
}

/// The state of disk failures and of the compaction.
struct OutboxDisk {
    /// The largest file of an empty outbox.
    static let emptySize = 4_096

    var isFailing = false
    /// Whether the file is not trusted, because a sync has failed.
    var mustBeRewritten = false
    /// The results of attempts that could not be written.
    var kept: [OutboxRequest] = []
    var pause = 1.0
    var timer: OutboxTimer?
    var isCompacting = false
    /// The file size below which no compaction is tried.
    var compactionFloor = 0
}

extension OutboxShell {
    /// Makes a change, and blocks the calling thread until it is written.
    func writeNow<Value: Sendable>(
        isOptional: Bool = false,
        _ body: @escaping @Sendable (inout RecordLog) throws -> Value
    ) throws -> Value {
        let result = Guarded<Value?>(nil)
        let failure = Guarded<(any Error)?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let request = OutboxRequest(
            body: { log in
                let value = try body(&log)
                result.withLock { $0 = value }
            },
            isOptional: isOptional,
            done: { error in
                failure.withLock { $0 = error }
                isDone.signal()
            }
        )
        submit(request)
        isDone.wait()
        if let error = failure.withLock({ $0 }) { throw writeError(error) }
        guard let value = result.withLock({ $0 }) else { throw writeError(FileIsClosed()) }
        return value
    }

    /// Makes a change, and suspends until it is written.
    func write<Value: Sendable>(
        needsSync: Bool = false,
        _ body: @escaping @Sendable (inout RecordLog) throws -> Value
    ) async throws -> Value {
        let result = Guarded<Value?>(nil)
        let failure = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<(any Error)?, Never>) in
            let request = OutboxRequest(
                body: { log in
                    let value = try body(&log)
                    result.withLock { $0 = value }
                },
                needsSync: needsSync,
                done: { continuation.resume(returning: $0) }
            )
            submit(request)
        }
        if let failure { throw writeError(failure) }
        guard let value = result.withLock({ $0 }) else { throw writeError(FileIsClosed()) }
        return value
    }

    /// Makes a change on this thread, or on the thread that has the turn.
    func submit(_ request: OutboxRequest) {
        let decision = guarded.withLock { state -> (refusal: (any Error)?, hasTurn: Bool) in
            if let refusal = state.writer.refusal { return (refusal, false) }
            return (nil, state.writer.entryAdded(request))
        }
        if let refusal = decision.refusal { return request.done(refusal) }
        guard decision.hasTurn else { return }
        // Only the outbox's own thread waits for a sync.
        if request.needsSync, settings.isSynced { drainElsewhere() } else { drain(rounds: 8) }
        startAttempts()
    }

    private func drainElsewhere() {
        queue.async { [self] in
            drain(rounds: .max)
            startAttempts()
        }
    }

    private func drain(rounds: Int) {
        for _ in 0..<rounds {
            let (requests, log, waiters) = guarded.withLock { state in
                let requests = state.writer.batchTaken()
                let hasEnded = requests.isEmpty
                return (
                    requests, hasEnded ? nil : state.log.take(),
                    hasEnded ? exchange(&state.watchers.turns, with: []) : []
                )
            }
            for waiter in waiters { waiter.resume() }
            guard !requests.isEmpty else { return }
            carryOut(requests, log)
        }
        drainElsewhere()
    }

    private func carryOut(_ requests: [OutboxRequest], _ taken: RecordLog?) {
        guard var log = taken else {
            for request in requests { request.done(FileIsClosed()) }
            return
        }
        var unsynced: [OutboxRequest] = []
        for request in requests {
            var isRecovered = false
            do {
                try recover(&log)
                isRecovered = true
                try request.body(&log)
                if request.needsSync, settings.isSynced {
                    unsynced.append(request)
                } else {
                    request.done(nil)
                }
            } catch {
                if !isRecovered || !request.isOptional { writingFailed() }
                if request.isKept {
                    guarded.withLock { $0.disk.kept.append(request) }
                } else {
                    request.done(error)
                }
            }
        }
        if !unsynced.isEmpty {
            var failure: (any Error)?
            do { try log.sync() } catch {
                failure = error
                guarded.withLock { $0.disk.mustBeRewritten = true }
                writingFailed()
            }
            for request in unsynced { request.done(failure) }
        }
        guarded.withLock { $0.log = log }
    }

    // MARK: Failures

    /// Repairs the effects of an earlier failure before more is written.
    private func recover(_ log: inout RecordLog) throws {
        let (mustBeRewritten, kept, isFailing) = guarded.withLock { state in
            (state.disk.mustBeRewritten, exchange(&state.disk.kept, with: []), state.disk.isFailing)
        }
        var rest = kept[...]
        do {
            if mustBeRewritten {
                try rewrite(&log)
                guarded.withLock { $0.disk.mustBeRewritten = false }
            }
            if log.mustBeSynced {
                do { try log.syncEarlierSessions(in: home) } catch {
                    guarded.withLock { $0.disk.mustBeRewritten = log.tail.end > 0 }
                    throw error
                }
            }
            while let request = rest.first {
                try request.body(&log)
                request.done(nil)
                rest.removeFirst()
            }
            if isFailing, kept.isEmpty {
                // A record without meaning tests whether the disk accepts writes again.
                var probe = [Frame.filler(Frame.headerSize + 1, sealedBy: seal)]
                try log.append(&probe)
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
        let timer = OutboxTimer(on: settings.clock)
        let pause = guarded.withLock { state -> Double? in
            state.machine.isHeld = true
            state.disk.isFailing = true
            guard state.disk.timer == nil, !state.isClosing else { return nil }
            state.disk.timer = timer
            defer { state.disk.pause = min(state.disk.pause * 2, 60) }
            return state.disk.pause
        }
        guard let pause else { return timer.finish() }
        timer.wait(pause) { [weak self] in
            self?.guarded.withLock { $0.disk.timer = nil }
            self?.submit(OutboxRequest(body: { _ in }, done: { _ in }))
        }
    }
}
