/// The items of a workflow, from which the contract decides which tasks may start.
struct WorkflowOracle: Sendable, CustomStringConvertible {
    enum Item: Hashable, Sendable {
        case main
        case concurrent
        /// Whether each member is a main-queue task.
        case group([Bool])
        case gate
    }

    struct Task {
        let isMain: Bool
        let stage: Int
        let gates: Int
    }

    let items: [Item]
    private(set) var tasks: [Task] = []
    private(set) var isGroup: [Bool] = []
    private(set) var gateCount = 0

    var description: String { "\(items)" }

    init(_ items: [Item]) {
        self.items = items
        for item in items {
            switch item {
            case .main: add([true], toGroup: false)
            case .concurrent: add([false], toGroup: false)
            case .group(let members): add(members, toGroup: true)
            case .gate: gateCount += 1
            }
        }
    }

    private mutating func add(_ members: [Bool], toGroup: Bool) {
        if members.isEmpty { return }
        if toGroup || isGroup.last ?? true { isGroup.append(toGroup) }
        for isMain in members {
            tasks.append(Task(isMain: isMain, stage: isGroup.count - 1, gates: gateCount))
        }
    }

    private func isOpen(_ stage: Int, _ finished: Set<Int>) -> Bool {
        guard stage > 0 else { return true }
        let before = tasks.indices.filter { tasks[$0].stage == stage - 1 }
        let needed = before.filter { isGroup[stage - 1] || tasks[$0].isMain }
        return isOpen(stage - 1, finished) && finished.isSuperset(of: needed)
    }

    /// The tasks that may have started.
    func startable(finished: Set<Int>, openGates: Int) -> Set<Int> {
        Set(
            tasks.indices.filter { index in
                let task = tasks[index]
                let mainBefore = tasks[..<index].indices.filter { tasks[$0].isMain }
                return isOpen(task.stage, finished) && task.gates <= openGates
                    && (!task.isMain || finished.isSuperset(of: mainBefore))
            }
        )
    }

    /// Every item that makes a difference.
    static let items: [Item] =
        [.main, .concurrent, .gate, .group([])]
        + [[true], [false], [true, false], [false, true], [false, false]].map { .group($0) }

    /// Returns all sequences of up to `length` items.
    static func all(upTo length: Int, of alphabet: [Item] = items) -> [WorkflowOracle] {
        var level: [[Item]] = [[]]
        var found = level
        for _ in 0..<length {
            level = level.flatMap { items in alphabet.map { items + [$0] } }
            found += level
        }
        return found.map { WorkflowOracle($0) }
    }
}
