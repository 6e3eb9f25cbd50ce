/// The statistics of a simulation.
struct NetworkReport: Equatable {
    /// The kinds of resources that may become saturated.
    enum Kind: String {
        case controllers = "controllers' loops"
        case brokers = "brokers' cores"
        case queue = "one job's queue"
        case stream = "one job's stream"
        case workers = "workers' loops"
        case slots = "workers' width"
    }

    /// All stations of a kind.
    struct Stations: Equatable {
        let kind: Kind
        /// The number of stations.
        let count: Int
        /// The average share of time in which they work, 0 to 1.
        let utilisation: Double
        /// The share of the busiest station.
        let busiest: Double
        /// The average wait of an item, in seconds.
        ///
        /// Queues and streams show the wait at their brokers.
        let meanWait: Double
        /// The wait that one in a hundred items exceeds, in seconds.
        let longWait: Double
        /// The average number of items that wait or are served at all stations.
        let meanPresent: Double

        init(_ kind: Kind, _ logs: [StationLog]) {
            self.kind = kind
            count = logs.count
            utilisation = mean(logs.map(\.utilisation))
            busiest = logs.map(\.utilisation).max() ?? 0
            let waits = logs.flatMap(\.waits).sorted()
            meanWait = mean(waits)
            longWait = percentile(99, of: waits)
            meanPresent = logs.map(\.meanPresent).reduce(0, +)
        }

        /// Creates the statistics of broker processes, each of which uses one core at a time.
        init(_ kind: Kind, processesOf logs: [StationLog], where isMeant: (Int) -> Bool) {
            self.kind = kind
            let shares = logs.flatMap { log in
                log.secondsOfProcess.filter { isMeant($0.key) }
                    .map { $0.value / max(log.seconds, .leastNormalMagnitude) }
            }
            count = shares.count
            utilisation = mean(shares.sorted())
            busiest = shares.max() ?? 0
            (meanWait, longWait, meanPresent) = (0, 0, 0)
        }
    }

    let plan: TaskNetwork.Plan
    /// Tasks per second, counted when their outcome arrives.
    let doneRate: Double
    /// The average number of outcomes in a message.
    let outcomesOfMessage: Double
    /// The time of each task in addition to its work, in seconds, shortest first.
    let overheads: [Double]
    let stations: [Stations]

    subscript(kind: Kind) -> Stations? { stations.first { $0.kind == kind } }

    /// Whether fewer tasks are done than arrive.
    var isSaturated: Bool {
        doneRate < plan.rate * 0.95 || stations.contains { $0.busiest >= 0.99 }
    }

    /// The stations that work the largest share of their time.
    var tightest: Stations? { stations.max { $0.busiest < $1.busiest } }

    /// The highest rate that a kind of station can reach if each task needs as much of it as here.
    func limit(of kind: Kind) -> Double {
        guard let busiest = self[kind]?.busiest, busiest > 0 else { return .infinity }
        return doneRate / busiest
    }
}

/// The mean of numbers, or 0 if there are none.
func mean(_ numbers: [Double]) -> Double {
    numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(numbers.count)
}

/// The smallest number that is not exceeded by the given percentage.
///
/// > Source: the nearest-rank definition.
///
/// - Parameters:
///   - share: The percentage, 1 to 100.
///   - sorted: The numbers, smallest first.
/// - Returns: One of the numbers, or 0 if there are none.
func percentile(_ share: Int, of sorted: [Double]) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[max(0, (sorted.count * share + 99) / 100 - 1)]
}
