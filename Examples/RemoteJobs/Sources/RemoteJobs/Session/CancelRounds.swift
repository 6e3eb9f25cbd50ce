/// Decides when cancelled tasks that no worker runs may end.
///
/// Cancellations are sent in rounds. Each worker reports every round that it has read, and how many
/// consumers it has on each of the job's routes. A round is complete on a route when the workers that
/// reported it own all consumers of the route's queue. No worker can start a task of it then: a worker
/// that connects later reads the cancellations before it takes tasks.
struct CancelRounds {
    /// A round of cancellations.
    struct Round {
        let id: String
        /// The tasks that have not ended.
        var names: Set<TaskName>
        var isConfirmed = false
        /// The latest reports: by route and worker instance, the number of consumers.
        var reports: [Name: [Name: Int]] = [:]
        /// The routes on which all consumers belong to workers that have read the round.
        var completeRoutes: Set<Name> = []
    }

    /// The reports that had arrived when a count of consumers began.
    ///
    /// Consumers are compared with earlier reports only. A worker keeps the consumers that it has reported
    /// for a while, so a report is a lower bound of what the later count finds.
    struct Census: Sendable {
        fileprivate var reports: [String: [Name: [Name: Int]]] = [:]

        /// The workers whose presence must be confirmed after the count.
        var workers: Set<Name> {
            Set(reports.values.flatMap { $0.values.flatMap(\.keys) })
        }
    }

    private(set) var rounds: [Round] = []
    private var waiting: [TaskName] = []
    private var roundOfTask: [TaskName: String] = [:]
    private let life: String
    private var lastNumber = 0

    init(life: String) {
        self.life = life
    }

    var hasWaiting: Bool { !waiting.isEmpty }
    var isIdle: Bool { waiting.isEmpty && rounds.isEmpty }

    /// Puts a task into the next round.
    ///
    /// - Returns: Whether it is the first there, so that the caller must take the round.
    @discardableResult
    mutating func add(_ name: TaskName) -> Bool {
        waiting.append(name)
        return waiting.count == 1
    }

    /// Makes a round of at most so many waiting tasks.
    mutating func take(_ most: Int) -> Round? {
        guard !waiting.isEmpty else { return nil }
        lastNumber += 1
        let names = waiting.prefix(most)
        waiting.removeFirst(names.count)
        let round = Round(id: "\(life).\(lastNumber)", names: Set(names))
        for name in names { roundOfTask[name] = round.id }
        rounds.append(round)
        return round
    }

    /// A task of a round has ended.
    mutating func settled(_ name: TaskName) {
        guard let id = roundOfTask.removeValue(forKey: name),
            let place = rounds.firstIndex(where: { $0.id == id })
        else { return }
        rounds[place].names.remove(name)
        if rounds[place].names.isEmpty { rounds.remove(at: place) }
    }

    /// The broker has confirmed a round.
    mutating func confirmed(_ id: String) {
        change(id) { $0.isConfirmed = true }
    }

    /// A worker has read a round.
    ///
    /// - Parameters:
    ///   - id: The round.
    ///   - worker: The worker's instance.
    ///   - routes: The routes that the worker consumes, each once for each consumer.
    /// - Returns: Whether the round is one of those that wait.
    mutating func seen(_ id: String, by worker: Name, routes: [Name]) -> Bool {
        guard let place = rounds.firstIndex(where: { $0.id == id }) else { return false }
        var counts: [Name: Int] = [:]
        for route in routes { counts[route, default: 0] += 1 }
        for route in rounds[place].reports.keys where counts[route] == nil {
            rounds[place].reports[route]?[worker] = nil
        }
        for (route, count) in counts { rounds[place].reports[route, default: [:]][worker] = count }
        return true
    }

    /// A count of consumers begins.
    func censusBegan() -> Census {
        var census = Census()
        for round in rounds where round.isConfirmed { census.reports[round.id] = round.reports }
        return census
    }

    /// A count of consumers has ended.
    ///
    /// - Parameters:
    ///   - census: The reports that had arrived before it.
    ///   - consumers: By route: how many consumers its queue has.
    ///   - gone: The workers that were no longer connected after it.
    mutating func censusEnded(_ census: Census, consumers: [Name: Int], gone: Set<Name> = []) {
        for place in rounds.indices {
            guard let reports = census.reports[rounds[place].id] else { continue }
            for (route, count) in consumers {
                let known = reports[route, default: [:]]
                    .reduce(0) { sum, report in
                        gone.contains(report.key) ? sum : sum + report.value
                    }
                if known >= count { rounds[place].completeRoutes.insert(route) }
            }
            for route in rounds[place].reports.keys {
                for worker in gone { rounds[place].reports[route]?[worker] = nil }
            }
        }
    }

    /// The connection has gone: tasks that have not ended are cancelled again, in other rounds.
    mutating func connectionLost() {
        rounds = []
        waiting = []
        roundOfTask = [:]
    }

    private mutating func change(_ id: String, _ body: (inout Round) -> Void) {
        guard let place = rounds.firstIndex(where: { $0.id == id }) else { return }
        body(&rounds[place])
    }
}
