/// Decides when cancelled tasks that nobody runs may end.
///
/// Cancels go out in rounds. When the broker has a round, the consumers of its routes are counted;
/// when as many workers of a route have said that they saw the round, none of them will start a
/// task of it. A worker that comes later reads the cancels before it takes tasks.
struct CancelRounds {
    /// A round of cancels.
    struct Round {
        let id: String
        /// The tasks not yet ended.
        var names: Set<TaskName>
        var isConfirmed = false
        /// By route: the instances of the workers that saw it.
        var seen: [String: Set<String>] = [:]
        /// By route: how many consumers there were, asked after the confirm.
        var consumers: [String: Int] = [:]

        /// Whether no worker of the route can start a task of this round.
        func isSeen(by route: String) -> Bool {
            guard isConfirmed, let count = consumers[route] else { return false }
            return seen[route, default: []].count >= count
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
    /// - Returns: Whether it is the first there, so that somebody must take the round.
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

    mutating func confirmed(_ id: String) {
        change(id) { $0.isConfirmed = true }
    }

    mutating func seen(_ id: String, by worker: String, routes: [String]) {
        change(id) { round in
            for route in routes { round.seen[route, default: []].insert(worker) }
        }
    }

    mutating func counted(_ route: String, consumers: Int) {
        for place in rounds.indices where rounds[place].isConfirmed {
            rounds[place].consumers[route] = consumers
        }
    }

    /// The connection has gone: what was asked is asked anew, in other rounds.
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
