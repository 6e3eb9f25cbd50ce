/// The contents of a world's launch.
struct WorldLaunchPlan: Codable, Equatable, Sendable {
    enum Item: Codable, Equatable, Sendable {
        case task(isMain: Bool)
        /// Whether each member is a main-queue task.
        case group([Bool])
        case gate

        var item: WorkflowOracle.Item {
            switch self {
            case .task(isMain: true): .main
            case .task(isMain: false): .concurrent
            case .group(let members): .group(members)
            case .gate: .gate
            }
        }
    }

    var waitsForUnknown = false
    var items: [Item] = []
    var startupTasks: [StartupKind] = []

    var size: Int { 1 + items.count + startupTasks.count + (waitsForUnknown ? 1 : 0) }

    init(_ dice: inout Dice) {
        waitsForUnknown = dice.one(in: 2)
        items = (0..<dice.number(0...8))
            .map { _ in
                switch dice.number(0...4) {
                case 0: .task(isMain: true)
                case 1, 2: .task(isMain: false)
                case 3: .group((0..<dice.number(0...3)).map { _ in dice.one(in: 2) })
                default: .gate
                }
            }
        startupTasks = (0..<dice.number(0...6)).map { _ in dice.pick(StartupKind.allCases) }
    }

    func smaller() -> [WorldLaunchPlan] {
        var plans: [WorldLaunchPlan] = []
        func add(_ change: (inout WorldLaunchPlan) -> Void) {
            var plan = self
            change(&plan)
            if plan != self { plans.append(plan) }
        }
        for part in WorldPlan.parts(of: items.count) { add { $0.items.removeSubrange(part) } }
        for part in WorldPlan.parts(of: startupTasks.count) {
            add { $0.startupTasks.removeSubrange(part) }
        }
        add { $0.waitsForUnknown = false }
        return plans
    }
}

/// How a start-up task ends: inside its start, elsewhere, with an error, or with two reports.
enum StartupKind: String, Codable, CaseIterable, Sendable {
    case inside, elsewhere, failing, repeating
}
