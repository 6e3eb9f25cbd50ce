/// Cores on which processes take turns, one item of a process at a time.
///
/// It is how Erlang runs a broker's queues and streams: a process runs on one core at a time, and
/// goes behind the others when it has done one message. An event loop is one core with one process.
/// Time is in seconds since any one moment.
struct Station<Work> {
    /// An item that has begun.
    struct Start {
        let work: Work
        let process: Int
        let end: Double
    }

    private struct Waiting {
        let work: Work
        let service: Double
        let arrival: Double
    }

    private struct Process {
        var waiting: [Waiting] = []
        /// The first that is not taken yet.
        var first = 0
        /// Whether it runs, or waits for a core.
        var isActive = false
    }

    let cores: Int
    private(set) var log: StationLog
    private var processes: [Int: Process] = [:]
    private var ready: [Int] = []
    private var firstReady = 0
    private var busy = 0

    init(cores: Int) {
        self.cores = cores
        log = StationLog(cores: cores)
    }

    /// Counts from now on.
    mutating func beginCount(at time: Double) {
        log = StationLog(cores: cores, busy: busy, present: log.present, at: time)
    }

    /// Ends the count.
    mutating func endCount(at time: Double) { log.passed(to: time) }

    /// Takes an item that needs a core for so long.
    ///
    /// - Returns: The item, if it begins at once.
    mutating func arrived(
        _ work: Work,
        of process: Int,
        service: Double,
        at time: Double
    ) -> Start? {
        log.arrived(at: time)
        let item = Waiting(work: work, service: service, arrival: time)
        processes[process, default: Process()].waiting.append(item)
        if processes[process]?.isActive == false {
            processes[process]?.isActive = true
            ready.append(process)
        }
        return beginNext(at: time)
    }

    /// An item of a process has had its time.
    ///
    /// - Returns: The item that begins now, if one does.
    mutating func ended(_ process: Int, at time: Double) -> Start? {
        log.ended(at: time)
        busy -= 1
        if let own = processes[process] {
            if own.first < own.waiting.count {
                ready.append(process)
            } else {
                processes[process] = nil
            }
        }
        return beginNext(at: time)
    }

    private mutating func beginNext(at time: Double) -> Start? {
        guard busy < cores, firstReady < ready.count else { return nil }
        let process = ready[firstReady]
        firstReady += 1
        if firstReady > 1_000, firstReady * 2 > ready.count {
            ready.removeFirst(firstReady)
            firstReady = 0
        }
        guard var own = processes.removeValue(forKey: process) else { return nil }
        let item = own.waiting[own.first]
        own.first += 1
        if own.first > 100, own.first * 2 > own.waiting.count {
            own.waiting.removeFirst(own.first)
            own.first = 0
        }
        processes[process] = own
        busy += 1
        log.began(process, service: item.service, waited: time - item.arrival, at: time)
        return Start(work: item.work, process: process, end: time + item.service)
    }
}

/// What a station has done since its count began.
struct StationLog {
    let cores: Int
    /// How many items have begun.
    private(set) var count = 0
    /// How long each of them waited, in seconds.
    private(set) var waits: [Double] = []
    /// Items there, waiting or in service, now.
    private(set) var present: Int
    /// Their number, summed over time.
    private(set) var presentSeconds = 0.0
    /// Core time of items, summed over time.
    private(set) var busySeconds = 0.0
    /// Core time that each process was given.
    private(set) var secondsOfProcess: [Int: Double] = [:]
    private var busy: Int
    private var last: Double
    private let begin: Double

    init(cores: Int, busy: Int = 0, present: Int = 0, at time: Double = 0) {
        self.cores = cores
        self.busy = busy
        self.present = present
        last = time
        begin = time
    }

    /// How long the count lasts, in seconds.
    var seconds: Double { last - begin }
    /// The share of the cores' time that was used, 0 to 1.
    var utilisation: Double { seconds > 0 ? busySeconds / (seconds * Double(cores)) : 0 }
    /// How many items were there on average.
    var meanPresent: Double { seconds > 0 ? presentSeconds / seconds : 0 }

    mutating func passed(to time: Double) {
        presentSeconds += Double(present) * (time - last)
        busySeconds += Double(busy) * (time - last)
        last = time
    }

    mutating func arrived(at time: Double) {
        passed(to: time)
        present += 1
    }

    mutating func began(_ process: Int, service: Double, waited: Double, at time: Double) {
        passed(to: time)
        busy += 1
        count += 1
        waits.append(waited)
        secondsOfProcess[process, default: 0] += service
    }

    mutating func ended(at time: Double) {
        passed(to: time)
        busy -= 1
        present -= 1
    }
}
