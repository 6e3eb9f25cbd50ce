import JobObservability
import JobStore
import Synchronization

extension Runner {
    /// Asks a run to stop, even while the store fails.
    ///
    /// - Returns: The current run.
    /// - Throws: ``RunProblem`` if there is no such run, or it has ended.
    func cancel(_ id: Int64) async throws -> RunRecord {
        let time = now()
        let isWaiting = state.withLock { state in
            guard state.admission.runWithdrawn(id) else { return false }
            state.ending.insert(id)
            return true
        }
        if isWaiting { return try await withdraw(id, at: time) }
        let (isLive, isEnding, action, run) = state.withLock { state in
            let isLive = state.lives[id]?.isLive == true
            let isEnding = state.lives[id] != nil || state.ending.contains(id)
            return (isLive, isEnding, state.lives[id]?.cancelAsked(by: .person), state.runs[id])
        }
        if isLive {
            if let run {
                if action == .cancelJob {
                    // Cancelling a job with many tasks takes long.
                    await onOwnThread { run.cancel(at: time) }
                }
                board.put(run.sample())
                hub.runChanged(id)
            }
            // After the answer, a crash must not make it run again.
            await promised { [self] in try? await store.noteCancel(of: id, at: time) }
            return try await record(id)
        }
        let record = try await record(id)
        // It was cancelled or is ending in another way. Its end is not saved yet, so a crash could
        // make it run again.
        if isEnding, !record.state.isEnd {
            await promised { [self] in try? await store.noteCancel(of: id, at: time) }
            return try await self.record(id)
        }
        // The run is saved but not queued yet, so it never starts.
        guard record.state == .queued else { throw RunProblem.ended }
        state.withLock { _ = $0.ending.insert(id) }
        return try await withdraw(id, at: time)
    }

    /// Saves the cancellation of a run that has not started.
    ///
    /// While the store fails, this happens later.
    private func withdraw(_ id: Int64, at time: Int64) async throws -> RunRecord {
        let end = RunEnd(state: .cancelled, finishedAt: time, cancelRequestedAt: time)
        var known = try? await record(id)
        await promised { [self] in
            if let ended = try? await store.end(id, end) {
                metrics.runEnded(kind: ended.record.kind, status: "cancelled", duration: nil)
                board.put(ended.record)
                hub.runEnded(id)
                ends.tell(ended.record)
            }
            state.withLock { _ = $0.ending.remove(id) }
            countRuns()
        }
        if let written = board.records([id])[id], written.state.isEnd { return written }
        known?.cancelRequestedAt = time
        if let known { board.replace(known) }
        hub.runChanged(id)
        guard let known else { throw RunProblem.unknownRun }
        return known
    }

    /// Saves something before an answer, but does not wait for a failing store.
    ///
    /// A slow store is waited for, because the answer is a promise.
    private func promised(_ write: @escaping @Sendable () async -> Void) async {
        let (written, done) = AsyncStream<Void>.makeStream()
        Task {
            await write()
            done.finish()
        }
        guard store.failure == nil else { return }
        let watch = Task { [store] in
            let end = ContinuousClock.now + Self.savingTime
            while store.failure == nil, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(50))
            }
            done.finish()
        }
        for await _ in written {}
        watch.cancel()
    }

    /// How long a disk that neither works nor fails delays an answer.
    private static let savingTime = Duration.seconds(20)

    /// The current run, from memory if possible, because the store may fail.
    private func record(_ id: Int64) async throws -> RunRecord {
        if let known = board.records([id])[id] { return known }
        guard let detail = try await store.detail(id) else { throw RunProblem.unknownRun }
        return detail.record
    }
}
