import Synchronization

/// The clock of one operation and what sleeps on it; made only for operations that use time.
final class OperationTimers: Sendable {
    /// Sleeps for a time that runs since the sleeper was made, then calls a closure.
    private typealias Sleeper =
        @Sendable (Duration, @escaping @Sendable () -> Void) -> Task<Void, Never>

    private struct State {
        var clock: any Clock<Duration> = ContinuousClock()
        var limit: Duration?
        var overrunLimit: Duration?
        /// Made at the start, so that a limit set later is measured from there.
        var sinceStart: Sleeper?
        var limitID: Int?
        var nextID = 0
        /// Nil while the task is being made.
        var sleeping: [Int: Task<Void, Never>?] = [:]
        var isEnded = false

        mutating func reserveID() -> Int {
            nextID += 1
            sleeping[nextID] = .some(nil)
            return nextID
        }
    }

    private let state = Guarded(State())

    var clock: any Clock<Duration> {
        get { state.withLock { $0.clock } }
        set {
            // The one before is a user's, and released without the lock.
            let replaced = state.withLock { state in
                defer { state.clock = newValue }
                return state.clock
            }
            withExtendedLifetime(replaced) {}
        }
    }

    var limit: Duration? {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// The limit that passed; a limit set later changes nothing.
    var overrunLimit: Duration? { state.withLock { $0.overrunLimit } }

    /// Calls `body` after `delay` on the clock, on a thread of Swift concurrency, unless
    /// ``cancelAll()`` comes first.
    ///
    /// The deadline is taken before this returns.
    func sleep(for delay: Duration, then body: @escaping @Sendable () -> Void) {
        let id = state.withLock { $0.isEnded ? nil : $0.reserveID() }
        guard let id else { return }
        let sleeper = Self.sleeper(on: clock)
        keep(sleeper(delay) { [self] in if forget(id) { body() } }, as: id)
    }

    /// The operation has started, some time ago: takes the time from which the limit counts, the
    /// first time.
    func operationStarted(ago: Duration = .zero) {
        guard state.withLock({ $0.sinceStart == nil }) else { return }
        let sleeper = Self.sleeper(on: clock, ago: ago)
        state.withLock { $0.sinceStart = $0.sinceStart ?? sleeper }
    }

    /// Waits for the limit, measured from the start, in place of any limit before.
    func watchLimit(_ overran: @escaping @Sendable () -> Void) {
        let (previous, id, limit, sleeper) = state.withLock { state in
            let previous = state.limitID.flatMap { state.sleeping.removeValue(forKey: $0) } ?? nil
            let isWanted = !state.isEnded && state.limit != nil
            state.limitID = isWanted ? state.reserveID() : nil
            return (previous, state.limitID, state.limit, state.sinceStart)
        }
        previous?.cancel()
        guard let id, let limit, let sleeper else { return }
        keep(sleeper(limit) { [self] in if limitPassed(limit, id) { overran() } }, as: id)
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

    private func keep(_ task: Task<Void, Never>, as id: Int) {
        let isPending = state.withLock { state in
            guard state.sleeping[id] != nil else { return false }
            state.sleeping[id] = .some(task)
            return true
        }
        if !isPending { task.cancel() }
    }

    /// Returns whether the sleep was still wanted.
    private func forget(_ id: Int) -> Bool {
        state.withLock { $0.sleeping.removeValue(forKey: id) != nil }
    }

    /// Returns whether this limit was still the one that counts.
    private func limitPassed(_ limit: Duration, _ id: Int) -> Bool {
        state.withLock { state in
            guard state.sleeping.removeValue(forKey: id) != nil else { return false }
            state.overrunLimit = state.overrunLimit ?? limit
            return true
        }
    }

    /// As long as a clock is asked to sleep at a time: 136 years.
    ///
    /// Clocks trap at a deadline beyond their numbers, and one that counts nanoseconds in 64 bits
    /// ends after 292 years. So a longer sleep is several, and ends when its time really has come.
    private static let longestSleep = Duration.seconds(1 << 32)

    private static func sleeper<C: Clock<Duration>>(
        on clock: C,
        ago: Duration = .zero
    ) -> Sleeper {
        let start = clock.now.advanced(by: .zero - ago)
        return { delay, body in
            let step = min(max(delay, .zero), longestSleep)
            let deadline = start.advanced(by: step)
            return Task {
                do {
                    try await clock.sleep(until: deadline, tolerance: nil)
                    var slept = step
                    while slept < delay {
                        slept = delay - slept > longestSleep ? slept + longestSleep : delay
                        try await clock.sleep(until: start.advanced(by: slept), tolerance: nil)
                    }
                } catch { return }
                body()
            }
        }
    }
}
