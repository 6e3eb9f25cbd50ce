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

        func isOf(_ limit: Limit) -> Bool {
            if case .limit(limit) = event { true } else { false }
        }
    }

    /// None for a `ContinuousClock`.
    var clock = Rare<any Clock<Duration>>()
    private var limits: [Timer] = []
    /// The pending delays by the number of their wait.
    private var delays: [UInt32: Timer] = [:]
    private var lastID: UInt32 = 0

    /// The duration of a limit, or nil for no limit.
    subscript(limit: Limit) -> Duration? {
        get { limits.first { $0.isOf(limit) }?.duration }
        set {
            let index = index(of: limit)
            limits[index].duration = newValue
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
        lastID = max(1, lastID &+ 1)
        guard case .limit(let limit) = event else {
            delays[lastID] = Timer(event: event, duration: delay, waitID: lastID)
            return (lastID, now, delay, nil)
        }
        let index = index(of: limit)
        let start = limits[index].start ?? now
        limits[index].start = start
        limits[index].waitID = lastID
        return (lastID, start, limits[index].duration, limits[index].wait.take())
    }

    /// Stores a wait, or returns false if it was cancelled or replaced, or has passed.
    mutating func waitBegan(_ id: UInt32, _ wait: TimerStart.Wait?) -> Bool {
        guard let index = limits.firstIndex(where: { $0.waitID == id }) else {
            delays[id]?.wait = wait
            return delays[id] != nil
        }
        limits[index].wait = wait
        return true
    }

    /// Ends a wait that has passed.
    ///
    /// - Returns: Its reason, or nil if it was cancelled or replaced.
    mutating func waitPassed(_ id: UInt32) -> Event? {
        if let delay = delays.removeValue(forKey: id) { return delay.event }
        guard let index = limits.firstIndex(where: { $0.waitID == id }),
            case .limit(let limit) = limits[index].event
        else { return nil }
        limits[index].waitID = 0
        limits[index].wait = nil
        if limit == .runtime, self[.passedRuntime] == nil {
            self[.passedRuntime] = limits[index].duration
        }
        return .limit(limit)
    }

    /// Removes the delays.
    ///
    /// - Returns: All timers, whose waits the caller cancels with the lock released.
    mutating func end() -> [Timer] {
        delays.isEmpty ? limits : limits + exchange(&delays, with: [:]).values
    }

    private mutating func index(of limit: Limit) -> Int {
        if let known = limits.firstIndex(where: { $0.isOf(limit) }) { return known }
        limits.append(Timer(event: .limit(limit)))
        return limits.count - 1
    }
}
