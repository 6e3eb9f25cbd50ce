import Foundation

extension OutboxShell {
    func events() -> AsyncStream<OutboxEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
        let number = guarded.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            let number = state.watchers.newID()
            defer { state.watchers.openingEvents = [] }
            // These events precede all later ones in the stream.
            for event in state.watchers.openingEvents { continuation.yield(event) }
            state.watchers.streams[number] = continuation
            return number
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.guarded.withLock { $0.watchers.streams.removeValue(forKey: number) }
        }
        return stream
    }

    func waitForFinish(of id: UInt64) async throws {
        let number = guarded.withLock { $0.watchers.newID() }
        defer { guarded.withLock { $0.watchers.waitEnded(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = guarded.withLock { state -> Result<Void, any Error>? in
                    let hasLeft = state.machine.slot(id) == nil
                    if hasLeft, !state.watchers.hasLeftOtherwise(id) { return .success(()) }
                    guard !hasLeft, !state.isClosed,
                        state.watchers.wait(for: id, number, continuation)
                    else { return .failure(CancellationError()) }
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = guarded.withLock { $0.watchers.waitCancelled(for: id, number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    func waitUntilIdle() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isClosed = guarded.withLock { state in
                if !state.isClosed { state.watchers.waitUntilIdle(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() } else { startAttempts() }
        }
    }
}
