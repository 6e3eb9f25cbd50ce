/// Decides how many threads a queue wants, from samples of the active ones.
///
/// A queue wants as many active threads as there are cores, in addition to those that wait inside
/// their operations. While it has fewer, and something to start, each sample doubles its threads,
/// and their number is remembered for the next burst. The number is forgotten when the threads keep
/// the cores busy, or when a woken thread finds nothing to do.
struct WorkerPoolSizer: Sendable {
    /// How many threads a queue wants while none of them waits.
    let cores: Int
    /// The largest number of threads.
    let limit: Int
    /// How many threads may be active at a time, until a sample changes it.
    private(set) var wanted: Int
    /// How many threads were waiting inside their operations in the last sample.
    private var waiting = 0
    /// How many threads were added because nothing was started for a long time, and are still
    /// useful.
    private var extra = 0
    /// For how long nothing was started although something could be.
    private var stall: UInt64 = 0
    private var startCount = 0
    private var stallTimeout = Self.firstStallTimeout
    /// The time since `wanted` was last compared with the use of the cores, and that use.
    private var evaluated: (time: UInt64, used: UInt64) = (0, 0)
    /// How many samples in a row found nothing to start.
    private var idleSampleCount = Self.idleSamplesBeforeRest

    /// The shortest and the longest time between two samples, in nanoseconds.
    ///
    /// Short enough for operations that block for a millisecond, and long enough not to disturb
    /// threads that keep working.
    static let shortestPause: UInt64 = 500_000
    static let longestPause: UInt64 = 8_000_000
    /// The shortest wait that counts as blocking, in nanoseconds.
    static let operationTime: UInt64 = 500_000
    /// The shortest time over which the use of the cores is measured, in nanoseconds.
    ///
    /// Shorter times are unreliable, because threads that slept together wake together.
    static let evaluationTime: UInt64 = 7_000_000
    /// How long nothing may be started before another thread is tried, regardless of the other
    /// threads.
    ///
    /// Doubled after each attempt, up to ``longestStallTimeout``.
    static let firstStallTimeout: UInt64 = 100_000_000
    static let longestStallTimeout: UInt64 = 1_000_000_000
    static let idleSamplesBeforeRest = 5

    private(set) var pause = Self.shortestPause

    /// A sample of the active threads.
    struct Sample: Sendable {
        /// The time since the previous sample, in nanoseconds.
        var time: UInt64
        /// How many threads wait inside their operations.
        var waiting = 0
        /// How many threads have been in one operation for a long time without waiting.
        var busy = 0
        /// How much processor time all threads have used since the previous sample.
        var used: UInt64 = 0
        /// How many threads are active, including those that were woken and have not arrived.
        var active = 0
        /// How many entries could be started.
        var startable = 0
        /// How many entries were started since the queue was created.
        var startCount = 0
    }

    init(cores: Int, limit: Int) {
        self.cores = min(cores, limit)
        self.limit = limit
        wanted = self.cores
    }

    /// Resets the monitoring of a queue that had no thread for something to start.
    mutating func monitoringBegan() {
        (pause, idleSampleCount, stall) = (Self.shortestPause, 0, 0)
        evaluated = (0, 0)
    }

    /// Evaluates a sample and returns how many threads to wake now.
    mutating func sampled(_ sample: Sample) -> Int {
        waiting = min(sample.waiting, sample.active)
        extra = min(extra, sample.busy)
        pause = min(2 * pause, Self.longestPause)
        evaluate(sample)
        guard sample.startable > 0 else {
            idleSampleCount += 1
            stall = 0
            return 0
        }
        idleSampleCount = 0
        let most = min(sample.startable, limit - sample.active)
        var wakeCount = 0
        if sample.active - waiting < cores + extra {
            wakeCount = max(0, min(most, max(1, sample.active)))
        }
        wakeCount = max(wakeCount, min(most, wakeAfterStall(sample)))
        guard wakeCount > 0 else { return 0 }
        pause = Self.shortestPause
        wanted = max(wanted, sample.active + wakeCount)
        return wakeCount
    }

    /// Whether the queue is not monitored, because there was nothing to start for so long.
    var isResting: Bool { idleSampleCount >= Self.idleSamplesBeforeRest }

    /// Lowers the number of wanted threads, because a woken thread found nothing to do.
    mutating func wakeWasSpurious() { wanted = min(limit, cores + waiting) }

    /// Wants fewer threads if the active ones keep the cores busy, or if too many do not wait.
    private mutating func evaluate(_ sample: Sample) {
        evaluated.time += sample.time
        evaluated.used += sample.used
        guard evaluated.time >= Self.evaluationTime else { return }
        let isBusy =
            evaluated.used >= evaluated.time / 4 * 3 * UInt64(cores)
            || sample.active - waiting > cores + extra + sample.active / 2
        if isBusy { wanted = min(wanted, cores + extra + waiting) }
        evaluated = (0, 0)
    }

    /// Adds a thread after a time without starts.
    ///
    /// Operations that keep the cores busy may need others that have not started.
    private mutating func wakeAfterStall(_ sample: Sample) -> Int {
        guard sample.startCount == startCount else {
            (stall, stallTimeout, startCount) = (0, Self.firstStallTimeout, sample.startCount)
            return 0
        }
        stall += sample.time
        guard stall >= stallTimeout else { return 0 }
        stall = 0
        stallTimeout = min(2 * stallTimeout, Self.longestStallTimeout)
        extra += 1
        return 1
    }

    /// Whether a thread may have waited most of the time inside an operation.
    ///
    /// A thread that waits between short operations does not count.
    ///
    /// - Parameters:
    ///   - time: The time between two samples, in nanoseconds.
    ///   - used: The processor time that the thread used in this time, in nanoseconds.
    ///   - began: How many operations it began in this time.
    /// - Returns: Whether it may have waited.
    static func mayWait(time: UInt64, used: UInt64, began: Int) -> Bool {
        time >= shortestPause / 2 && used < time / 4 && began <= 1 + Int(time / operationTime)
    }
}
