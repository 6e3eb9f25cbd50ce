/// What a simulation has counted.
struct NetworkReport: Equatable {
    /// What may be used up.
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
        /// How many there are.
        let count: Int
        /// The share of their time that they work, on average, 0 to 1.
        let utilisation: Double
        /// The same of the one that works most.
        let busiest: Double
        /// How long what comes waits, on average, in seconds; for a queue or stream, the wait is the
        /// brokers'.
        let meanWait: Double
        /// The wait that one in a hundred exceeds, in seconds.
        let longWait: Double
        /// How many items wait or are served, on average, at all of them.
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

        /// Processes of brokers, each of which uses one core at a time.
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
    /// Tasks whose outcome came, a second.
    let doneRate: Double
    /// How many outcomes a message had.
    let outcomesOfMessage: Double
    /// What the way took beside the work, for each task, in seconds, the shortest first.
    let overheads: [Double]
    let stations: [Stations]

    subscript(kind: Kind) -> Stations? { stations.first { $0.kind == kind } }

    /// Whether less is done than comes.
    var isSaturated: Bool {
        doneRate < plan.rate * 0.95 || stations.contains { $0.busiest >= 0.99 }
    }

    /// What works the largest share of its time.
    var tightest: Stations? { stations.max { $0.busiest < $1.busiest } }

    /// Up to which rate a kind of station reaches, if each task takes as much of it as here.
    func limit(of kind: Kind) -> Double {
        guard let busiest = self[kind]?.busiest, busiest > 0 else { return .infinity }
        return doneRate / busiest
    }
}

/// The mean of numbers; 0 of none.
func mean(_ numbers: [Double]) -> Double {
    numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(numbers.count)
}

/// The smallest number that so many per cent do not exceed; 0 of none.
///
/// > Source: the nearest-rank definition.
///
/// - Parameters:
///   - share: Per cent, 1 to 100.
///   - sorted: The numbers, the smallest first.
/// - Returns: One of them, or 0.
func percentile(_ share: Int, of sorted: [Double]) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[max(0, (sorted.count * share + 99) / 100 - 1)]
}
