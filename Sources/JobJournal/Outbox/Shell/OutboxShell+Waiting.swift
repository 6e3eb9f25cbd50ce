import Foundation

extension OutboxShell {
    func events() -> AsyncStream<OutboxEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
        let number = guarded.withLock { state in
            state.isClosed ? nil : state.watchers.add(continuation)
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.guarded.withLock { $0.watchers.removeStream(number) }
        }
        return stream
    }

    /// Delivers events once they are in the file, in the order of the file.
    func emit(_ events: @autoclosure () -> [OutboxEvent]) {
        let streams = guarded.withLock { $0.watchers.streams }
        guard !streams.isEmpty else { return }
        for event in events() {
            for stream in streams.values { stream.yield(event) }
        }
    }

    func waitForFinish(of id: UInt64) async throws {
        let waiter = Promise()
        let result = guarded.withLock { state -> Result<Void, any Error>? in
            let hasLeft = state.machine.entry(id) == nil
            if hasLeft, !state.watchers.hasLeftOtherwise(id) { return .success(()) }
            guard !hasLeft, !state.isClosed else { return .failure(CancellationError()) }
            state.watchers.add(waiter, for: id)
            return nil
        }
        if let result { return try result.get() }
        defer { guarded.withLock { $0.watchers.remove(waiter, for: id) } }
        try await withTaskCancellationHandler {
            if let error = await waiter.wait() { throw error }
        } onCancel: {
            waiter.fulfill(CancellationError())
        }
    }

    /// Applies a change that is in the file, and ends the waits for entries that leave.
    func apply<Value: Sendable>(
        leaving ids: [UInt64],
        otherwise: Bool,
        _ body: (inout State) -> Value
    ) -> Value {
        let (value, waiters) = guarded.withLock { state in
            (body(&state), state.watchers.entriesLeft(ids, otherwise: otherwise))
        }
        for waiter in waiters {
            waiter.fulfill(otherwise ? CancellationError() : nil)
        }
        return value
    }

    func waitUntilIdle() async {
        let idle = Promise()
        let isClosed = guarded.withLock { state in
            if !state.isClosed { state.watchers.idle.append(idle) }
            return state.isClosed
        }
        guard !isClosed else { return }
        startAttempts()
        await idle.wait()
    }
}
