import Synchronization

/// The clock of one operation and what sleeps on it; made only for operations that use time.
final class OperationTimers: Sendable {
    /// Sleeps for a time that runs since the sleeper was made, then calls a closure.
    private typealias Sleeper =
        @Sendable (Duration, @escaping @Sendable () -> Void) -> Task<Void, Never>

    /// A time that may be changed while it runs, and counts from where it began.
    private struct Limit {
        var duration: Duration?
        /// Made where the time begins, so that a limit set later is measured from there.
        var sleeper: Sleeper?
        var sleepID: Int?
    }

    private struct State {
        var clock: any Clock<Duration> = ContinuousClock()
        /// Begins with the start.
        var runtime = Limit()
        var overrunLimit: Duration?
        /// Begins with the request to stop.
        var stop = Limit()
        var nextID = 0
        /// Nil while the task is being made.
        var sleeping: [Int: Task<Void, Never>?] = [:]
        /// No delay begins any more.
        var isEnded = false
        /// Nothing begins any more.
        var isOver = false

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
            let replaced = state.withLock { state in
                defer { state.clock = newValue }
                return state.clock
            }
            withExtendedLifetime(replaced) {}
        }
    }

    /// The maximum runtime.
    var limit: Duration? {
        get { state.withLock { $0.runtime.duration } }
        set { state.withLock { $0.runtime.duration = newValue } }
    }

    /// The limit that passed; a limit set later changes nothing.
    var overrunLimit: Duration? { state.withLock { $0.overrunLimit } }

    /// The maximum time to stop.
    var stopLimit: Duration? {
        get { state.withLock { $0.stop.duration } }
        set { state.withLock { $0.stop.duration = newValue } }
    }

    /// Calls `body` after `delay` on the clock, on a thread of Swift concurrency, unless
    /// ``endDelays()`` or ``cancelAll()`` comes first.
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
    func operationStarted(ago: Duration = .zero) { began(\.runtime, ago: ago) }

    /// The operation was told to stop, some time ago.
    func stopRequested(ago: Duration = .zero) { began(\.stop, ago: ago) }

    private func began(_ path: WritableKeyPath<State, Limit>, ago: Duration) {
        guard state.withLock({ $0[keyPath: path].sleeper == nil }) else { return }
        let sleeper = Self.sleeper(on: clock, ago: ago)
        state.withLock { $0[keyPath: path].sleeper = $0[keyPath: path].sleeper ?? sleeper }
    }

    /// Waits for the limit, measured from the start, in place of any limit before.
    func watchLimit(_ overran: @escaping @Sendable () -> Void) {
        watch(\.runtime, unless: \.isEnded) { [self] limit, id in
            if limitPassed(limit, id) { overran() }
        }
    }

    /// Waits for the time to stop, measured from the request, in place of any time before.
    func watchStopLimit(_ passed: @escaping @Sendable () -> Void) {
        watch(\.stop, unless: \.isOver) { [self] _, id in if forget(id) { passed() } }
    }

    private func watch(
        _ path: WritableKeyPath<State, Limit>,
        unless isOver: KeyPath<State, Bool>,
        _ passed: @escaping @Sendable (Duration, Int) -> Void
    ) {
        let (previous, watched) = state.withLock { state in
            let previous = state.takeSleep(state[keyPath: path].sleepID)
            let isWanted = !state[keyPath: isOver] && state[keyPath: path].duration != nil
            state[keyPath: path].sleepID = isWanted ? state.reserveID() : nil
            return (previous, state[keyPath: path])
        }
        previous?.cancel()
        guard let id = watched.sleepID, let limit = watched.duration, let sleeper = watched.sleeper
        else { return }
        keep(sleeper(limit) { passed(limit, id) }, as: id)
    }

    /// Ends the delays and the runtime; the time to stop goes on.
    func endDelays() {
        let tasks = state.withLock { state in
            state.isEnded = true
            let stop = state.stop.sleepID.flatMap { id in state.sleeping[id].map { (id, $0) } }
            defer { state.sleeping = stop.map { [$0.0: $0.1] } ?? [:] }
            if let stop { state.sleeping[stop.0] = nil }
            return Array(state.sleeping.values)
        }
        for task in tasks { task?.cancel() }
    }

    /// Ends what sleeps; nothing that is still asleep is called any more.
    func cancelAll() {
        let tasks = state.withLock { state in
            (state.isEnded, state.isOver) = (true, true)
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
