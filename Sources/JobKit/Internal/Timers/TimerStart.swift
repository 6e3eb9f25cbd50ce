import Foundation

/// The moment from which a limit or delay counts, on its clock.
///
/// The clocks of the system share a ``TimerService``. On any other clock, each wait is a Swift task
/// that sleeps, so that a test clock shows every deadline.
enum TimerStart: Sendable {
    case system(SystemClock, Int64)
    case clock(@Sendable (Duration, TimerService.Body, _ executor: (any TaskExecutor)?) -> Wait)

    /// One wait, which can be cancelled.
    enum Wait: Sendable {
        case timer(SystemClock, TimerService.Machine.ID)
        case task(Task<Void, Never>)
        /// Never ends, or has been called already.
        case none

        func cancel() {
            switch self {
            case .timer(let clock, let id): clock.service.cancel(id)
            case .task(let task): task.cancel()
            case .none: break
            }
        }
    }

    /// A moment some seconds before now.
    init(_ clock: TimerClock, ago seconds: Int = 0) {
        switch clock {
        case .system(let clock):
            self = .system(clock, clock.now - Int64(seconds) * 1_000_000_000)
        case .other(let clock):
            self = .clock(Self.sleeper(on: clock, ago: .seconds(seconds)))
        }
    }

    /// Calls a body when `time` has passed since the start.
    ///
    /// - Parameters:
    ///   - time: Below zero means at once. A time that the clock cannot add means never.
    ///   - body: Called on a worker of the timers.
    ///   - executor: If the clock is not one of the system's, the body is called there instead.
    /// - Returns: The wait, to cancel it.
    func wait(
        _ time: Duration,
        _ body: TimerService.Body,
        executor: (any TaskExecutor)? = nil
    ) -> Wait {
        switch self {
        case .clock(let sleeper): return sleeper(time, body, executor)
        case .system(let clock, let start):
            guard time > .zero else {
                clock.service.call(body)
                return .none
            }
            guard let nanoseconds = time.timerNanoseconds else { return .none }
            let (deadline, overflow) = start.addingReportingOverflow(nanoseconds)
            return overflow ? .none : .timer(clock, clock.service.add(body, at: deadline))
        }
    }

    /// The longest single sleep on a clock: 136 years.
    ///
    /// Clocks trap at a deadline beyond their numbers, and one that counts nanoseconds in 64 bits
    /// ends after 292 years. Therefore, a longer sleep is split into several. The seconds are
    /// counted in 64 bits because an `Int` may have 32.
    private static let longestSleep = Duration.seconds(Int64(1) << 32)

    private static func sleeper<C: Clock<Duration>>(
        on clock: C,
        ago: Duration
    ) -> @Sendable (Duration, TimerService.Body, (any TaskExecutor)?) -> Wait {
        let start = clock.now.advanced(by: .zero - ago)
        return { time, body, executor in
            let step = min(max(time, .zero), longestSleep)
            let deadline = start.advanced(by: step)
            return .task(
                Task(executorPreference: executor) {
                    do {
                        try await clock.sleep(until: deadline, tolerance: nil)
                        var slept = step
                        while slept < time {
                            slept = time - slept > longestSleep ? slept + longestSleep : time
                            try await clock.sleep(until: start.advanced(by: slept), tolerance: nil)
                        }
                    } catch { return }
                    if executor == nil {
                        TimerService.continuous.call(body)
                    } else {
                        body.target.timerPassed(body.id)
                    }
                }
            )
        }
    }
}

/// A clock of the system.
///
/// Timers store this and not their service, because every thread would otherwise change the
/// reference count of the service.
enum SystemClock {
    case continuous
    case suspending

    /// The service of all timers on this clock.
    var service: TimerService { self == .continuous ? .continuous : .suspending }

    /// The time of the clock, in nanoseconds since some instant.
    var now: Int64 {
        guard self == .suspending else { return EventTime.now.nanoseconds }
        #if canImport(Darwin)
        return Int64(truncatingIfNeeded: clock_gettime_nsec_np(CLOCK_UPTIME_RAW))
        #else
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        #endif
    }
}

/// A clock for limits and delays.
enum TimerClock: Sendable {
    case system(SystemClock)
    case other(any Clock<Duration>)

    init(_ clock: any Clock<Duration>) {
        if clock is ContinuousClock {
            self = .system(.continuous)
        } else if clock is SuspendingClock {
            self = .system(.suspending)
        } else {
            self = .other(clock)
        }
    }

    var clock: any Clock<Duration> {
        switch self {
        case .system(.continuous): ContinuousClock()
        case .system(.suspending): SuspendingClock()
        case .other(let clock): clock
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded up, or nil beyond what an integer counts.
    var timerNanoseconds: Int64? {
        Int64(exactly: (attoseconds / 1_000_000_000) + (attoseconds % 1_000_000_000 > 0 ? 1 : 0))
    }
}
