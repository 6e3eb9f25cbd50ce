/// The clock, the limits and the delays of one operation.
///
/// The lock of the operation guards them.
struct OperationTimers: Sendable {
    /// A duration that may change while its time runs, and which counts from its beginning.
    enum Limit: Sendable {
        /// The maximum runtime, from the start.
        case runtime
        /// The maximum stop time, from the stop request.
        case stop
        /// The maximum runtime that has passed first.
        ///
        /// A limit that is set later does not change it.
        case passedRuntime
    }

    /// The reason for a wait.
    enum Event: Sendable {
        case limit(Limit)
        case delay(_ body: @Sendable () -> Void)
    }

    /// A limit, which stays when it has passed, or a delay.
    ///
    /// At most 88 bytes, because one limit is the usual case, and `malloc` takes longer for blocks
    /// of more than 120 bytes than the rest of a limit.
    struct Timer: Sendable {
        let event: Event
        fileprivate var duration: Duration?
        /// The number of the current wait, or 0 for none.
        fileprivate var waitID: UInt32 = 0
        /// When the time began, so that a limit that is set later counts from then.
        fileprivate var start: TimerStart?
        /// Nil while the wait is being created.
        fileprivate(set) var wait: TimerStart.Wait?

        var isDelay: Bool { if case .delay = event { true } else { false } }

        func isOf(_ limit: Limit) -> Bool {
            if case .limit(limit) = event { true } else { false }
        }
    }

    /// None for a `ContinuousClock`.
    var clock = Rare<any Clock<Duration>>()
    private var timers: [Timer] = []
    private var lastID: UInt32 = 0

    /// The duration of a limit, or nil for no limit.
    subscript(limit: Limit) -> Duration? {
        get { timers.first { $0.isOf(limit) }?.duration }
        set {
            let index = index(of: limit)
            timers[index].duration = newValue
        }
    }

    /// Begins a wait, in place of an earlier one for the same limit.
    ///
    /// - Parameters:
    ///   - event: The reason for the wait.
    ///   - delay: The duration of a delay.
    ///   - now: When the time of a delay begins, or of a limit whose time has not begun.
    /// - Returns: The wait to create, if its `time` is not nil, and the earlier one to cancel.
    mutating func waitBegins(
        for event: Event,
        _ delay: Duration?,
        from now: TimerStart
    ) -> (id: UInt32, start: TimerStart, time: Duration?, previous: TimerStart.Wait?) {
        var index = timers.count
        if case .limit(let limit) = event {
            index = self.index(of: limit)
        } else {
            timers.append(Timer(event: event, duration: delay))
        }
        lastID = max(1, lastID &+ 1)
        let start = timers[index].start ?? now
        timers[index].start = start
        timers[index].waitID = lastID
        return (lastID, start, timers[index].duration, timers[index].wait.take())
    }

    /// Stores a wait, or returns false if it was cancelled or replaced, or has passed.
    mutating func waitBegan(_ id: UInt32, _ wait: TimerStart.Wait?) -> Bool {
        guard let index = timers.firstIndex(where: { $0.waitID == id }) else { return false }
        timers[index].wait = wait
        return true
    }

    /// Ends a wait that has passed.
    ///
    /// - Returns: Its reason, or nil if it was cancelled or replaced.
    mutating func waitPassed(_ id: UInt32) -> Event? {
        guard let index = timers.firstIndex(where: { $0.waitID == id }) else { return nil }
        guard case .limit(let limit) = timers[index].event else {
            timers.swapAt(index, timers.count - 1)
            return timers.removeLast().event
        }
        timers[index].waitID = 0
        timers[index].wait = nil
        if limit == .runtime, self[.passedRuntime] == nil {
            self[.passedRuntime] = timers[index].duration
        }
        return .limit(limit)
    }

    /// Removes the delays.
    ///
    /// - Returns: All timers, whose waits the caller cancels with the lock released.
    mutating func end() -> [Timer] {
        let ended = timers
        // If there is no delay, nothing is allocated.
        if timers.contains(where: \.isDelay) { timers.removeAll(where: \.isDelay) }
        return ended
    }

    private mutating func index(of limit: Limit) -> Int {
        if let known = timers.firstIndex(where: { $0.isOf(limit) }) { return known }
        timers.append(Timer(event: .limit(limit)))
        return timers.count - 1
    }
}
