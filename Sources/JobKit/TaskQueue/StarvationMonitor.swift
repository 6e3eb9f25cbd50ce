import Dispatch
import Foundation

/// Wakes more workers in queues whose threads are blocked.
///
/// Looks every two milliseconds at the queues that have something to start. A queue that started
/// nothing meanwhile, while the process left its cores idle, gets half as many threads again. Where
/// the cores are busy, with this process or with others, the threads are probably not blocked, and
/// it gets them ten times more slowly.
final class StarvationMonitor: Sendable {
    static let shared = StarvationMonitor()

    private struct Watched {
        let queue: TaskQueueShell
        var startCount = -1
        var starvedTicks = 0
        var idleTicks = 0
    }

    private struct State {
        var watched: [Watched] = []
        var isTicking = false
        var processorTime: clock_t = 0
        /// How often threads had to give up a core that they could have used.
        var preemptions = 0
        var ticksSincePreemption = 0
    }

    private let state = Guarded(State())
    private let timerQueue = DispatchQueue(label: "JobKit.StarvationMonitor", qos: .userInteractive)

    /// Asked once: it costs a system call and ten microseconds.
    private static let cores = ProcessInfo.processInfo.activeProcessorCount
    private static let interval = DispatchTimeInterval.milliseconds(2)
    #if canImport(Glibc)
    private static let thisProcess = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
    private static let thisProcess = RUSAGE_SELF
    #endif
    private static let busyTicksBeforeWake = 10
    private static let idleTicksBeforeRest = 5

    /// Watches a queue until it has had nothing to start for ten milliseconds.
    func watch(_ queue: TaskQueueShell) {
        let mustBegin = state.withLock { state in
            state.watched.append(Watched(queue: queue))
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if mustBegin { scheduleTick() }
    }

    private func scheduleTick() {
        timerQueue.asyncAfter(deadline: .now() + Self.interval) { [self] in tick() }
    }

    private func tick() {
        let now = clock()
        var usage = rusage()
        let preemptions = getrusage(Self.thisProcess, &usage) == 0 ? usage.ru_nivcsw : 0
        let (watched, isBusy) = state.withLock { state in
            state.ticksSincePreemption =
                preemptions == state.preemptions ? state.ticksSincePreemption + 1 : 0
            defer {
                state.watched = []
                state.processorTime = now
                state.preemptions = preemptions
            }
            // A queue that leaves one core idle has threads to spare.
            let used = now - state.processorTime
            let most = 2 * clock_t(CLOCKS_PER_SEC) / 1_000 * clock_t(Self.cores)
            let isPreempted = state.ticksSincePreemption < Self.busyTicksBeforeWake
            return (state.watched, used > most * 3 / 4 || isPreempted)
        }
        let remaining = watched.compactMap { look(at: $0, isBusy: isBusy) }
        let goesOn = state.withLock { state in
            state.watched += remaining
            state.isTicking = !state.watched.isEmpty
            return state.isTicking
        }
        if goesOn { scheduleTick() }
    }

    /// Returns nil when the queue need not be watched any more.
    private func look(at watched: Watched, isBusy: Bool) -> Watched? {
        var watched = watched
        switch watched.queue.progress() {
        case .nothingToStart:
            watched.starvedTicks = 0
            watched.idleTicks += 1
            guard watched.idleTicks >= Self.idleTicksBeforeRest else { break }
            return watched.queue.endWatch() ? nil : watched
        case .started(let count) where count == watched.startCount:
            watched.starvedTicks += 1
            guard !isBusy || watched.starvedTicks % Self.busyTicksBeforeWake == 0 else { break }
            watched.queue.wakeStarved()
        case .started(let count):
            watched.startCount = count
            watched.starvedTicks = 0
            watched.idleTicks = 0
        }
        return watched
    }
}

extension TaskQueueShell {
    enum Progress {
        case nothingToStart
        case started(Int)
    }

    /// Looks what has become of the queue, and has it call workers as usual.
    func progress() -> Progress {
        send { state in
            state.workers.timePassed()
            return state.machine.startableCount == 0
                ? .nothingToStart : .started(state.machine.startCount)
        }
    }

    /// Returns false if there is something to start after all.
    func endWatch() -> Bool { ask { $0.watchEnded() } }

    func wakeStarved() {
        let workers = ask { $0.workers.takeWhenStarved(startable: $0.machine.startableCount) }
        for (index, queue) in workers { queue.async { [self] in work(index) } }
    }
}
