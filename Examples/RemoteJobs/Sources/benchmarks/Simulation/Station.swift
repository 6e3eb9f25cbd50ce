/// Cores on which processes take turns, one item of a process at a time.
///
/// Erlang runs the queues and streams of a broker in this way. A process runs on one core at a
/// time, and waits behind the others after each message. An event loop is one core with one
/// process. Times are in seconds since an arbitrary fixed moment.
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
        /// The first item that has not been taken.
        var first = 0
        /// Whether it runs or waits for a core.
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

    /// Starts the statistics.
    mutating func beginCount(at time: Double) {
        log = StationLog(cores: cores, busy: busy, present: log.present, at: time)
    }

    /// Ends the statistics.
    mutating func endCount(at time: Double) { log.passed(to: time) }

    /// Adds an item that needs a core for the given time.
    ///
    /// - Returns: The item if it begins at once.
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

    /// Ends the service of a process's item.
    ///
    /// - Returns: The item that begins now, if any.
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

/// The statistics of a station.
struct StationLog {
    let cores: Int
    /// The number of items that have begun.
    private(set) var count = 0
    /// The wait of each of them, in seconds.
    private(set) var waits: [Double] = []
    /// The number of items that are waiting or being served now.
    private(set) var present: Int
    /// The number of present items, integrated over time.
    private(set) var presentSeconds = 0.0
    /// The core time of items, integrated over time.
    private(set) var busySeconds = 0.0
    /// The core time of each process.
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

    /// The length of the statistics, in seconds.
    var seconds: Double { last - begin }
    /// The used share of the cores' time, 0 to 1.
    var utilisation: Double { seconds > 0 ? busySeconds / (seconds * Double(cores)) : 0 }
    /// The average number of present items.
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
