import Synchronization

/// The clock of one operation and what sleeps on it; made only for operations that use time.
final class OperationTimers: Sendable {
    /// Sleeps for a time that runs since the sleeper was made, then calls a closure.
    fileprivate typealias Sleeper =
        @Sendable (Duration, @escaping @Sendable () -> Void) -> Task<Void, Never>

    /// A time that may be changed while it runs, and counts from where it began.
    struct Limit {
        fileprivate var duration: Duration?
        /// Made where the time begins, so that a limit set later is measured from there.
        fileprivate var sleeper: Sleeper?
        fileprivate var sleepID: Int?
        /// The first that has passed; a limit set later changes nothing.
        fileprivate var passed: Duration?
        /// Nothing begins any more.
        fileprivate var isOver = false
    }

    struct Limits {
        /// The maximum runtime, from the start.
        ///
        /// When it is over, no delay begins either.
        var runtime = Limit()
        /// The maximum time to stop, from the request to stop.
        var stop = Limit()
    }

    typealias LimitPath = WritableKeyPath<Limits, Limit> & Sendable

    private struct State {
        var clock: any Clock<Duration> = ContinuousClock()
        var limits = Limits()
        var nextID = 0
        /// Nil while the task is being made.
        var sleeping: [Int: Task<Void, Never>?] = [:]

        mutating func reserveID() -> Int {
            nextID += 1
            sleeping[nextID] = .some(nil)
            return nextID
        }

        mutating func takeSleep(_ id: Int?) -> Task<Void, Never>? {
            id.flatMap { sleeping.removeValue(forKey: $0) } ?? nil
        }
    }

    private let state = Guarded(State())

    var clock: any Clock<Duration> {
        get { state.withLock { $0.clock } }
        set {
            // The one before is a user's, and released without the lock.
            let replaced = state.withLock { exchange(&$0.clock, with: newValue) }
            withExtendedLifetime(replaced) {}
        }
    }

    /// How long a limit is; nil for no limit.
    subscript(limit: LimitPath) -> Duration? {
        get { state.withLock { $0.limits[keyPath: limit].duration } }
        set { state.withLock { $0.limits[keyPath: limit].duration = newValue } }
    }

    /// The maximum runtime that was overrun.
    var overrunLimit: Duration? { state.withLock { $0.limits.runtime.passed } }

    /// Calls `body` after `delay` on the clock, on a thread of Swift concurrency, unless
    /// ``cancelAll(keepsStopTime:)`` comes first.
    ///
    /// The deadline is taken before this returns.
    func sleep(for delay: Duration, then body: @escaping @Sendable () -> Void) {
        let id = state.withLock { $0.limits.runtime.isOver ? nil : $0.reserveID() }
        guard let id else { return }
        let sleeper = Self.sleeper(on: clock)
        keep(sleeper(delay) { [self] in if forget(id) { body() } }, as: id)
    }

    /// Waits for a limit to pass, in place of any wait before.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - ago: How long ago its time began; counts the first time.
    ///   - passed: Called then, on a thread of Swift concurrency.
    func watch(
        _ limit: LimitPath,
        ago: Duration = .zero,
        _ passed: @escaping @Sendable () -> Void
    ) {
        if state.withLock({ $0.limits[keyPath: limit].sleeper == nil }) {
            let sleeper = Self.sleeper(on: clock, ago: ago)
            state.withLock { state in
                let known = state.limits[keyPath: limit].sleeper
                state.limits[keyPath: limit].sleeper = known ?? sleeper
            }
        }
        let (previous, watched) = state.withLock { state in
            let previous = state.takeSleep(state.limits[keyPath: limit].sleepID)
            var watched = state.limits[keyPath: limit]
            let isWanted = !watched.isOver && watched.duration != nil
            watched.sleepID = isWanted ? state.reserveID() : nil
            state.limits[keyPath: limit] = watched
            return (previous, watched)
        }
        previous?.cancel()
        guard let id = watched.sleepID, let time = watched.duration, let sleeper = watched.sleeper
        else { return }
        keep(sleeper(time) { [self] in if passes(limit, time, id) { passed() } }, as: id)
    }

    /// Ends what sleeps: nothing that is still asleep is called any more.
    ///
    /// - Parameter keepsStopTime: Whether the time to stop goes on.
    func cancelAll(keepsStopTime: Bool = false) {
        let tasks = state.withLock { state in
            state.limits.runtime.isOver = true
            if !keepsStopTime { state.limits.stop.isOver = true }
            var sleeping = exchange(&state.sleeping, with: [:])
            if keepsStopTime, let id = state.limits.stop.sleepID {
                state.sleeping[id] = sleeping.removeValue(forKey: id)
            }
            return Array(sleeping.values)
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

    /// Returns whether this wait for the limit was still the one that counts.
    private func passes(_ limit: LimitPath, _ time: Duration, _ id: Int) -> Bool {
        guard forget(id) else { return false }
        state.withLock { state in
            let passed = state.limits[keyPath: limit].passed
            state.limits[keyPath: limit].passed = passed ?? time
        }
        return true
    }

    /// As long as a clock is asked to sleep at a time: 136 years.
    ///
    /// Clocks trap at a deadline beyond their numbers, and one that counts nanoseconds in 64 bits
    /// ends after 292 years. So a longer sleep is several, and ends when its time really has come.
    /// The seconds are counted in 64 bits where an `Int` has 32 too.
    private static let longestSleep = Duration.seconds(Int64(1) << 32)

    /// Calls `body` when a time has passed on a clock, on a thread of Swift concurrency, unless the
    /// task is cancelled before.
    static func wait(
        _ time: Duration,
        on clock: any Clock<Duration>,
        then body: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        sleeper(on: clock)(time, body)
    }

    private static func sleeper<C: Clock<Duration>>(
        on clock: C,
        ago: Duration = .zero
    ) -> Sleeper {
        let start = clock.now.advanced(by: .zero - ago)
        return { delay, body in
            let step = min(max(delay, .zero), longestSleep)
            let deadline = start.advanced(by: step)
            return Task(executorPreference: ThreadContext.current.pointee.taskExecutor) {
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
