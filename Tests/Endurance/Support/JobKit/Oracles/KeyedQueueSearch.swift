@testable import JobKit

/// Tries every order of events of three operations with up to two keys against the oracle.
struct KeyedQueueSearch {
    typealias Machine = KeyedQueueStateMachine<Int, String>

    fileprivate struct World {
        var machine: Machine
        var oracle: KeyedQueueOracle
        var tickets: [Int: TaskQueueTicket] = [:]
    }

    private let canRaise: Bool
    private(set) var stepCount = 0
    private(set) var orderCount = 0
    private(set) var failure: String?

    init(canRaise: Bool) { self.canRaise = canRaise }

    mutating func search(
        _ keys: [Set<String>],
        parents: [Int?],
        limit: Int,
        limitPerKey: Int
    ) {
        let entries = zip(keys, parents)
            .map { KeyedQueueOracle.Entry(keys: $0, parent: $1) }
        let world = World(
            machine: Machine(limit: limit, limitPerKey: limitPerKey),
            oracle: KeyedQueueOracle(limit: limit, limitPerKey: limitPerKey, entries)
        )
        let setting =
            "keys \(keys.map { $0.sorted() }), parents \(parents), limit \(limit), per key \(limitPerKey)"
        explore(world, [], setting)
    }

    private mutating func explore(_ world: World, _ path: [String], _ setting: String) {
        guard failure == nil else { return }
        var isEnd = true
        for index in world.oracle.entries.indices {
            let entry = world.oracle.entries[index]
            switch entry.state {
            case .absent:
                isEnd = false
                step(world, path, setting, "add \(index)") { $0.add(index) }
            case .waiting, .passedOn:
                isEnd = false
                step(world, path, setting, "end \(index)") { $0.end(index) }
                guard canRaise, entry.state == .waiting, entry.priority == .normal else { continue }
                step(world, path, setting, "raise \(index)") { $0.raise(index) }
            case .ended: continue
            }
        }
        if isEnd {
            orderCount += 1
            if !world.machine.isUnused {
                failure = "\(setting): something is left after \(path)"
            }
        }
    }

    private mutating func step(
        _ world: World,
        _ path: [String],
        _ setting: String,
        _ event: String,
        _ change: (inout World) -> Void
    ) {
        var (world, path) = (world, path + [event])
        stepCount += 1
        change(&world)
        let passed = world.machinePassesOn()
        let expected = world.oracle.passOn()
        if passed != expected || world.oracle.excess > 0 {
            failure = failure ?? "\(setting): \(path) passed on \(passed), not \(expected)"
        }
        explore(world, path, setting)
    }
}

extension KeyedQueueSearch.World {
    fileprivate mutating func add(_ index: Int) {
        let entry = oracle.entries[index]
        oracle.added(index)
        var keys = ShortList<String>()
        for key in entry.keys.sorted() { keys.append(key) }
        let isJob = oracle.entries.contains { $0.parent == index }
        let ticket = machine.entryAdded(index, keys: keys, isJob: isJob)
        tickets[index] = ticket
        findJobs()
        machine.entryBecameReady(ticket)
    }

    fileprivate mutating func end(_ index: Int) {
        oracle.ended(index)
        if let ticket = tickets[index] { machine.entryEnded(ticket) }
        findJobs()
    }

    fileprivate mutating func raise(_ index: Int) {
        oracle.raised(index)
        if let ticket = tickets[index] { machine.priorityChanged(of: ticket, to: .high) }
    }

    private mutating func findJobs() {
        for (index, ticket) in tickets {
            machine.jobsFound(oracle.jobs(above: index).compactMap { tickets[$0] }, above: ticket)
        }
    }

    fileprivate mutating func machinePassesOn() -> [Int] {
        var passed: [Int] = []
        while let next = machine.next() { passed.append(next.entry) }
        return passed
    }
}

extension KeyedQueueSearch {
    private static let keySets: [Set<String>] = [[], ["a"], ["b"], ["a", "b"]]
    /// No jobs, a job with a task, a job with two tasks, and a job in a job with a task.
    private static let trees: [[Int?]] = [
        [nil, nil, nil], [nil, 0, nil], [nil, 0, 0], [nil, 0, 1],
    ]

    /// Searches all configurations with the given limits.
    ///
    /// - Parameters:
    ///   - limits: The limits of the queue and of each key.
    ///   - canRaise: Whether the priority of a waiting operation may be raised.
    /// - Returns: The search with its counts and the first failure.
    static func run(limits: [(limit: Int, perKey: Int)], canRaise: Bool) -> KeyedQueueSearch {
        var search = KeyedQueueSearch(canRaise: canRaise)
        for first in keySets {
            for second in keySets {
                for third in keySets {
                    for parents in trees {
                        for (limit, perKey) in limits {
                            search.search(
                                [first, second, third],
                                parents: parents,
                                limit: limit,
                                limitPerKey: perKey
                            )
                        }
                    }
                }
            }
        }
        print("KeyedQueue: \(search.orderCount) orders in \(search.stepCount) steps")
        return search
    }

    /// Adds, raises and ends up to eight operations of three keys in random order.
    ///
    /// - Returns: The first difference from the oracle, or nil.
    static func walk(seed: Int, limit: Int, limitPerKey: Int) -> String? {
        var random = SeededGenerator(seed: UInt64(seed))
        let keys = (0..<Int.random(in: 4...8, using: &random))
            .map { _ in Set(["a", "b", "c"].filter { _ in Bool.random(using: &random) }) }
        let parents = keys.indices.map { index -> Int? in
            Bool.random(using: &random) ? (0..<index).randomElement(using: &random) : nil
        }
        var world = World(
            machine: Machine(limit: limit, limitPerKey: limitPerKey),
            oracle: KeyedQueueOracle(
                limit: limit,
                limitPerKey: limitPerKey,
                zip(keys, parents).map { KeyedQueueOracle.Entry(keys: $0, parent: $1) }
            )
        )
        var path = ["keys \(keys.map { $0.sorted() }), parents \(parents)"]
        while let index = world.oracle.entries.indices
            .filter({ world.oracle.entries[$0].state != .ended })
            .randomElement(using: &random)
        {
            switch world.oracle.entries[index].state {
            case .absent:
                world.add(index)
                path.append("add \(index)")
            case .waiting where Int.random(in: 0..<4, using: &random) > 0:
                world.raise(index)
                path.append("raise \(index)")
            default:
                world.end(index)
                path.append("end \(index)")
            }
            let (passed, expected) = (world.machinePassesOn(), world.oracle.passOn())
            guard passed == expected else { return "\(path) passed on \(passed), not \(expected)" }
        }
        return world.machine.isUnused ? nil : "\(path) left some"
    }
}

extension KeyedQueueStateMachine {
    /// Whether nothing remains of any entry.
    var isUnused: Bool {
        count == 0 && users.isEmpty && pools.count == 1 && pools[0].taken == 0
    }
}
