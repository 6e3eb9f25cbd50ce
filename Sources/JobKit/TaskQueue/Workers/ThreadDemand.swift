/// How many threads a queue wants, judged from looks at those that are at work.
///
/// A queue wants as many threads at work as there are cores, beside those that wait inside their
/// operations. As long as it has fewer, and something to start, each look doubles its threads, and
/// the number is remembered for the next burst. It is forgotten when the threads keep the cores
/// busy, or when one is called in vain.
struct ThreadDemand: Sendable {
    /// How many threads a queue wants as long as none of them waits.
    let cores: Int
    /// How many it has at most.
    let limit: Int
    /// How many threads are called at a time for what comes.
    private(set) var wanted: Int
    /// How many of them waited inside their operations at the last look.
    private var waiting = 0
    /// How many were called because nothing was started for long, and are still worth it.
    private var extra = 0
    /// For how long nothing was started although something could be.
    private var standstill: UInt64 = 0
    private var startCount = 0
    private var patience = Self.firstPatience
    /// The time since the number was last compared with the use of the cores, and that use.
    private var judged: (time: UInt64, used: UInt64) = (0, 0)
    /// How many looks in a row found nothing to start.
    private var idleLooks = 0

    /// The shortest and the longest time between two looks, in nanoseconds: soon enough for
    /// operations that block for a millisecond, and seldom enough where the threads keep working.
    static let shortestPause: UInt64 = 500_000
    static let longestPause: UInt64 = 8_000_000
    /// How long a wait that is told from work has to be, in nanoseconds.
    static let operationTime: UInt64 = 500_000
    /// Shorter times are no measure of how busy the cores are: threads that slept together wake
    /// together.
    static let judgedTime: UInt64 = 7_000_000
    /// How long nothing may be started before a thread more is tried, whatever the others do; twice
    /// as long each time.
    static let firstPatience: UInt64 = 100_000_000
    static let lastPatience: UInt64 = 1_000_000_000
    static let idleLooksBeforeRest = 5

    private(set) var pause = Self.shortestPause

    /// What a look has found.
    struct Look: Sendable {
        /// The time since the look before, in nanoseconds.
        var time: UInt64
        /// How many threads wait inside their operations.
        var waiting = 0
        /// How many have long been in one operation, and do not wait.
        var lasting = 0
        /// How much processor time all of them used since the look before.
        var used: UInt64 = 0
        /// How many threads are at work, or called.
        var active = 0
        /// How many entries could be started.
        var startable = 0
        /// How many were started since the queue was made.
        var startCount = 0
    }

    init(cores: Int, limit: Int) {
        self.cores = min(cores, limit)
        self.limit = limit
        wanted = self.cores
    }

    /// A queue that had no thread for something to start will be looked at.
    mutating func watchBegan() {
        (pause, idleLooks, standstill) = (Self.shortestPause, 0, 0)
        judged = (0, 0)
    }

    /// Returns how many threads to call now.
    mutating func looked(_ look: Look) -> Int {
        waiting = min(look.waiting, look.active)
        extra = min(extra, look.lasting)
        pause = min(2 * pause, Self.longestPause)
        judge(look)
        guard look.startable > 0 else {
            idleLooks += 1
            standstill = 0
            return 0
        }
        idleLooks = 0
        let most = min(look.startable, limit - look.active)
        var called = 0
        if look.active - waiting < cores + extra {
            called = max(0, min(most, max(1, look.active)))
        }
        called = max(called, min(most, callAfterStandstill(look)))
        guard called > 0 else { return 0 }
        pause = Self.shortestPause
        wanted = max(wanted, look.active + called)
        return called
    }

    /// Whether nothing was there to start for so long that looking ends.
    var mayRest: Bool { idleLooks >= Self.idleLooksBeforeRest }

    /// A thread that was called found nothing to do.
    mutating func calledInVain() { wanted = min(limit, cores + waiting) }

    /// Gives threads up when those at work keep the cores busy, or more would if they could.
    private mutating func judge(_ look: Look) {
        judged.time += look.time
        judged.used += look.used
        guard judged.time >= Self.judgedTime else { return }
        let isBusy =
            judged.used >= judged.time / 4 * 3 * UInt64(cores)
            || look.active - waiting > cores + extra + look.active / 2
        if isBusy { wanted = min(wanted, cores + extra + waiting) }
        judged = (0, 0)
    }

    /// Operations that keep the cores busy may need others that have not started.
    private mutating func callAfterStandstill(_ look: Look) -> Int {
        guard look.startCount == startCount else {
            (standstill, patience, startCount) = (0, Self.firstPatience, look.startCount)
            return 0
        }
        standstill += look.time
        guard standstill >= patience else { return 0 }
        standstill = 0
        patience = min(2 * patience, Self.lastPatience)
        extra += 1
        return 1
    }
}

/// What one thread did between two looks.
struct ThreadUse: Equatable, Sendable {
    /// How long it was looked at, in nanoseconds.
    var time: UInt64
    /// The processor time that it used, in nanoseconds.
    var used: UInt64
    /// How many operations it began.
    var began: Int

    /// Whether it may have waited most of the time, and not between short operations.
    var mayWait: Bool {
        time >= ThreadDemand.shortestPause / 2 && used < time / 4
            && began <= 1 + Int(time / ThreadDemand.operationTime)
    }
}
