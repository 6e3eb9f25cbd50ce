import Synchronization

/// The clock of one operation and what sleeps on it; made only for operations that use time.
final class OperationTimers: Sendable {
    private struct State {
        var clock: any Clock<Duration> = ContinuousClock()
        var limit: Duration?
        var nextID = 0
        /// Nil while the task is being made.
        var sleeping: [Int: Task<Void, Never>?] = [:]
        var isEnded = false
    }

    private let state = Guarded(State())

    var clock: any Clock<Duration> {
        get { state.withLock { $0.clock } }
        set { state.withLock { $0.clock = newValue } }
    }

    var limit: Duration? {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Calls `body` after `delay` on the clock, on a thread of Swift concurrency, unless
    /// ``cancelAll()`` comes first.
    ///
    /// The deadline is taken before this returns.
    func sleep(for delay: Duration, then body: @escaping @Sendable () -> Void) {
        let (id, clock) = state.withLock { state -> (Int?, any Clock<Duration>) in
            guard !state.isEnded else { return (nil, state.clock) }
            state.nextID += 1
            state.sleeping[state.nextID] = .some(nil)
            return (state.nextID, state.clock)
        }
        guard let id else { return }
        let task = Self.sleep(on: clock, for: delay) { [self] in
            guard forget(id) else { return }
            body()
        }
        let isPending = state.withLock { state in
            guard state.sleeping[id] != nil else { return false }
            state.sleeping[id] = .some(task)
            return true
        }
        if !isPending { task.cancel() }
    }

    /// Ends what sleeps; nothing that is still asleep is called any more.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isEnded = true
            defer { state.sleeping = [:] }
            return Array(state.sleeping.values)
        }
        for task in tasks { task?.cancel() }
    }

    /// Returns whether the sleep was still wanted.
    private func forget(_ id: Int) -> Bool {
        state.withLock { $0.sleeping.removeValue(forKey: id) != nil }
    }

    private static func sleep<C: Clock<Duration>>(
        on clock: C,
        for delay: Duration,
        then body: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        let deadline = clock.now.advanced(by: delay)
        return Task {
            do { try await clock.sleep(until: deadline, tolerance: nil) } catch { return }
            body()
        }
    }
}
