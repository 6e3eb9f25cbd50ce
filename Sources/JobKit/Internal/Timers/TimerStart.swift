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
        case timer(TimerService.Machine.ID, SystemClock)
        case task(Task<Void, Never>)

        func cancel() {
            switch self {
            case .timer(let id, let clock): clock.service.cancel(id)
            case .task(let task): task.cancel()
            }
        }
    }

    /// A moment some seconds before now.
    ///
    /// - Parameters:
    ///   - clock: The clock, or nil for a `ContinuousClock`.
    ///   - seconds: The number of seconds.
    init(_ clock: (any Clock<Duration>)?, ago seconds: Int = 0) {
        var system = SystemClock.continuous
        if let clock, !(clock is ContinuousClock) {
            guard clock is SuspendingClock else {
                self = .clock(Self.sleeper(on: clock, ago: .seconds(seconds)))
                return
            }
            system = .suspending
        }
        self = .system(system, system.now - Int64(seconds) * 1_000_000_000)
    }

    /// Calls a body when `time` has passed since the start.
    ///
    /// - Parameters:
    ///   - time: Below zero means at once. A time that the clock cannot add means never.
    ///   - body: Called on a worker of the timers.
    ///   - executor: If the clock is not one of the system's, the body is called there instead.
    /// - Returns: The wait, to cancel it. Nil if it never ends, or has ended already.
    func wait(
        _ time: Duration,
        _ body: TimerService.Body,
        executor: (any TaskExecutor)? = nil
    ) -> Wait? {
        switch self {
        case .clock(let sleeper): return sleeper(time, body, executor)
        case .system(let clock, let start):
            guard time > .zero else {
                clock.service.call(body)
                return nil
            }
            guard let nanoseconds = time.timerNanoseconds else { return nil }
            let (deadline, overflow) = start.addingReportingOverflow(nanoseconds)
            return overflow ? nil : .timer(clock.service.add(body, at: deadline), clock)
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
            .task(
                Task(executorPreference: executor) {
                    var slept = Duration.zero
                    do {
                        repeat {
                            slept = max(.zero, min(time, slept + longestSleep))
                            try await clock.sleep(until: start.advanced(by: slept), tolerance: nil)
                        } while slept < time
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

extension Duration {
    /// The duration in nanoseconds, rounded up, or nil beyond what an integer counts.
    var timerNanoseconds: Int64? {
        Int64(exactly: (attoseconds / 1_000_000_000) + (attoseconds % 1_000_000_000 > 0 ? 1 : 0))
    }
}
