/// Manages the worker threads of a queue, and decides when to wake one more.
///
/// **The rule.** One more worker is woken if the active workers would take longer to start the
/// available entries than a wake-up takes. This repeats while another worker is worth its wake-up,
/// up to the number that ``WorkerPoolSizer`` wants.
///
/// A worker that is running an operation is not counted for the entries it adds. A worker between
/// two operations is counted for one entry. The remaining entries are re-evaluated by the monitor.
struct WorkerPool: Sendable {
    private var sizer: WorkerPoolSizer
    private(set) var active = 0
    /// The active workers that were woken and have not arrived.
    private var waking = 0
    /// The active workers that are searching for work, so no worker must be woken.
    private var searching = 0
    /// The other workers, the next one to wake last.
    private var idle: [Int]

    /// The last measured time between the starts of two entries, in nanoseconds.
    private var interval = UInt64.max / 2
    /// The time of that measurement, and the number of entries started by then.
    private var measured: (time: UInt64, startCount: Int) = (0, 0)

    /// The approximate cost of waking a worker, for both threads together, in nanoseconds.
    static let wakeTime: UInt64 = 20_000

    /// The kind of thread that requests the start of entries.
    enum Caller {
        /// A thread that is not a worker of the queue, or a worker that has just taken an entry.
        case other
        /// A worker inside an operation, which may continue for a long time.
        case workerInOperation
        /// A worker that has ended an operation and will take an entry.
        case workerBetweenOperations
    }

    /// The action that makes the queue start an entry.
    struct WakeAction: Equatable, Sendable {
        /// The worker to wake.
        var worker: Int?
        /// Whether to begin to monitor the queue.
        var monitors = false

        static let nobody = WakeAction()
    }

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - cores: How many workers run while none of them waits.
    ///   - limit: The largest number of workers.
    init(cores: Int, limit: Int) {
        sizer = WorkerPoolSizer(cores: cores, limit: limit)
        idle = (0..<limit).reversed()
    }

    // MARK: Waking

    /// Wakes a worker for the `startable` entries, if another worker is worth its wake-up.
    @inline(__always)
    mutating func wakeAction(startable: Int, by caller: Caller) -> WakeAction {
        guard startable > 0 else { return .nobody }
        if caller == .workerBetweenOperations, startable == 1 { return monitor() }
        guard searching == 0 else { return .nobody }
        let others = active - (caller == .other ? 0 : 1)
        if others > 0 {
            let (wait, isEndless) = interval.multipliedReportingOverflow(by: UInt64(startable))
            if !isEndless, wait <= UInt64(waking + 1) * Self.wakeTime { return monitor() }
        }
        guard let worker = idleWorker() else { return monitor() }
        var action = active > sizer.cores ? monitor() : .nobody
        action.worker = worker
        return action
    }

    /// Wakes a worker, if fewer workers are active than wanted.
    mutating func idleWorker() -> Int? { active < sizer.wanted ? wakeOne() : nil }

    /// Whether more workers are active than wanted.
    var hasTooMany: Bool { active > sizer.wanted }

    private mutating func wakeOne() -> Int {
        active += 1
        waking += 1
        return idle.removeLast()
    }

    // MARK: Arriving, searching, leaving

    mutating func workerArrived() { waking -= 1 }

    mutating func searchBegan() { searching += 1 }

    /// How long a worker searches before it checks the queue, in nanoseconds.
    static let searchTime = wakeTime / 10

    /// Whether a worker that has found nothing for some time, in nanoseconds, keeps searching.
    ///
    /// It searches for as long as a wake-up takes, if entries start at least twice as often. One
    /// such worker is enough.
    func searchContinues(after time: UInt64) -> Bool {
        searching == 1 && interval <= Self.wakeTime / 2 && time < Self.wakeTime
    }

    mutating func searchEnded() { searching -= 1 }

    /// Removes a worker, which leaves `startable` entries to others.
    ///
    /// If it has started no entry and none is left, waking it was unnecessary.
    mutating func workerLeft(_ worker: Int, startable: Int, hasStarted: Bool) -> WakeAction {
        if !hasStarted, startable == 0 { sizer.wakeWasSpurious() }
        active -= 1
        idle.append(worker)
        return startable > 0 ? monitor() : .nobody
    }

    /// Measures how quickly entries are started.
    ///
    /// A time shorter than a wake-up is not measured, because it would be unreliable.
    ///
    /// - Parameters:
    ///   - now: The current time, in nanoseconds.
    ///   - startCount: How many entries the queue has started.
    mutating func measure(at now: UInt64, startCount: Int) {
        guard now >= measured.time + Self.wakeTime else { return }
        interval = (now - measured.time) / UInt64(max(1, startCount - measured.startCount))
        measured = (now, startCount)
    }

    // MARK: Monitoring

    /// Begins to monitor the queue, if it is not monitored yet.
    private mutating func monitor() -> WakeAction {
        guard sizer.isResting else { return .nobody }
        sizer.monitoringBegan()
        return WakeAction(monitors: true)
    }

    /// Evaluates a sample of the workers at `now`, in nanoseconds.
    ///
    /// - Returns: The workers to wake, and the time until the next sample in nanoseconds. The time
    ///   is nil if no sample follows.
    mutating func sampled(
        _ sample: WorkerPoolSizer.Sample,
        at now: UInt64
    ) -> (woken: [Int], pause: UInt64?) {
        measure(at: now, startCount: sample.startCount)
        let count = sizer.sampled(sample)
        var woken = (0..<count).map { _ in wakeOne() }
        // The entries that were left to others have still not been started.
        if woken.isEmpty, sample.startable > 0, searching == 0, let worker = idleWorker() {
            woken.append(worker)
        }
        return (woken, sizer.isResting ? nil : sizer.pause)
    }
}
