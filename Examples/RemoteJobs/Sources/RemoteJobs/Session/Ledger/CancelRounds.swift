/// Decides when cancelled tasks that no worker runs may end.
///
/// Cancellations are sent in rounds. Each worker reports every round that it has read, and its
/// number of consumers on each route of the job. A round is complete on a route when the workers
/// that reported it own all consumers of the route's queue. From then on, no worker can start a
/// task of the round, because a worker that connects later reads the cancellations before it takes
/// tasks.
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

    /// The reports that had arrived before a count of consumers began.
    ///
    /// The count is compared only with earlier reports. Since a worker keeps the consumers of its
    /// report for a while, the later count contains at least these.
    struct Census: Sendable {
        fileprivate var reports: [String: [Name: [Name: Int]]] = [:]

        /// The workers that must still be present after the count.
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

    /// Adds a task to the next round.
    ///
    /// - Returns: Whether it is the first task of the round, so that the caller must take the
    ///   round.
    @discardableResult
    mutating func add(_ name: TaskName) -> Bool {
        waiting.append(name)
        return waiting.count == 1
    }

    /// Creates a round of waiting tasks, up to the given number.
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

    /// Removes a task that has ended from its round.
    mutating func settled(_ name: TaskName) {
        guard let id = roundOfTask.removeValue(forKey: name),
            let place = rounds.firstIndex(where: { $0.id == id })
        else { return }
        rounds[place].names.remove(name)
        if rounds[place].names.isEmpty { rounds.remove(at: place) }
    }

    /// Records that the broker has confirmed a round.
    mutating func confirmed(_ id: String) {
        change(id) { $0.isConfirmed = true }
    }

    /// Records that a worker has read a round.
    ///
    /// - Parameters:
    ///   - id: The round.
    ///   - worker: The worker's instance.
    ///   - routes: The routes that the worker consumes, each once for each consumer.
    /// - Returns: Whether the round is still waiting.
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

    /// Takes the current reports, because a count of consumers begins.
    func censusBegan() -> Census {
        var census = Census()
        for round in rounds where round.isConfirmed { census.reports[round.id] = round.reports }
        return census
    }

    /// Completes rounds after a count of consumers.
    ///
    /// - Parameters:
    ///   - census: The reports that had arrived before the count.
    ///   - consumers: The number of consumers of each route's queue.
    ///   - gone: The workers that were no longer connected after the count.
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

    /// Drops all rounds.
    ///
    /// After a lost connection, tasks that have not ended are cancelled again in new rounds.
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
