/// Decides which thread continues.
protocol Strategy {
    /// Chooses among threads that can continue. The first one is the default.
    mutating func choose(_ options: [VirtualThread], isPreemption: Bool) -> Int
    /// A thread waits for others without a lock.
    mutating func yielded(_ thread: VirtualThread)
}

extension Strategy {
    mutating func yielded(_ thread: VirtualThread) {}
}

/// Repeats choices, and then takes the default.
struct FixedChoices: Strategy {
    var choices: [Int: Int]
    private var position = 0

    init(_ choices: [Int: Int]) { self.choices = choices }

    init(_ choices: [Int]) {
        self.choices = Dictionary(uniqueKeysWithValues: choices.enumerated().map { ($0, $1) })
    }

    mutating func choose(_ options: [VirtualThread], isPreemption: Bool) -> Int {
        defer { position += 1 }
        return choices[position] ?? 0
    }
}

/// Switches with a probability that the seed decides.
struct RandomWalk: Strategy {
    private var generator: SeededGenerator
    private let probability: Double

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        probability = [0.02, 0.1, 0.5][Int(seed % 3)]
    }

    mutating func choose(_ options: [VirtualThread], isPreemption: Bool) -> Int {
        if isPreemption, Double.random(in: 0..<1, using: &generator) > probability { return 0 }
        return Int.random(in: options.indices, using: &generator)
    }
}

/// Runs the thread of highest priority, and lowers a priority at some random points (PCT).
///
/// > Source: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A randomized scheduler with
/// > probabilistic guarantees of finding bugs", ASPLOS 2010.
struct Priorities: Strategy {
    private var generator: SeededGenerator
    private var priorities: [Int: Double] = [:]
    private var changes: Set<Int> = []
    private var position = 0
    private var lowest = 0.0

    /// - Parameters:
    ///   - seed: The seed of the priorities.
    ///   - count: The number of choices in a schedule.
    init(seed: UInt64, count: Int) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<(1 + Int(seed % 3)) {
            changes.insert(Int.random(in: 0..<max(1, count), using: &generator))
        }
    }

    mutating func choose(_ options: [VirtualThread], isPreemption: Bool) -> Int {
        for thread in options where priorities[thread.id] == nil {
            priorities[thread.id] = .random(in: 0..<1, using: &generator)
        }
        defer { position += 1 }
        if changes.contains(position) { lower(options[highest(options)]) }
        return highest(options)
    }

    mutating func yielded(_ thread: VirtualThread) { lower(thread) }

    private mutating func lower(_ thread: VirtualThread) {
        lowest -= 1
        priorities[thread.id] = lowest
    }

    private func highest(_ options: [VirtualThread]) -> Int {
        options.indices.max {
            priorities[options[$0].id, default: 0] < priorities[options[$1].id, default: 0]
        } ?? 0
    }
}

/// All schedules with at most a number of preemptions, depth first.
///
/// If it is reduced, it leaves out schedules whose result is the same as that of another one. See
/// ``Conflicts``.
struct Exhaustive {
    private struct Node {
        var taken: Int
        var done: Set<Int>
        var wanted: Set<Int>
        let isPreemption: Bool

        var isPreempted: Bool { isPreemption && taken > 0 }
    }

    let bound: Int
    let isReduced: Bool
    private var path: [Node] = []

    init(bound: Int, isReduced: Bool = true) { (self.bound, self.isReduced) = (bound, isReduced) }

    /// The choices of the next schedule.
    ///
    /// After them, the default is taken.
    var next: [Int] { path.map(\.taken) }

    /// Moves to the next schedule.
    ///
    /// Returns false if all have run.
    mutating func ran(_ schedule: Schedule) -> Bool {
        path.removeLast(max(0, path.count - schedule.choices.count))
        for (index, choice) in schedule.choices.enumerated() {
            let wanted =
                isReduced
                ? schedule.conflicts?.alternatives[index] ?? [] : Set(0..<choice.count)
            if index < path.count {
                path[index].wanted.formUnion(wanted)
            } else {
                let isPreemption = choice.isPreemption
                path.append(
                    Node(
                        taken: choice.taken,
                        done: [choice.taken],
                        wanted: wanted,
                        isPreemption: isPreemption
                    )
                )
            }
        }
        var preemptions = path.count(where: \.isPreempted)
        while var last = path.popLast() {
            if last.isPreempted { preemptions -= 1 }
            let isFree = !last.isPreemption || preemptions < bound
            let left = last.wanted.subtracting(last.done).filter { isFree || $0 == 0 }
            guard let option = left.min() else { continue }
            last.taken = option
            last.done.insert(option)
            path.append(last)
            return true
        }
        return false
    }
}

/// Random numbers that a seed repeats: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
