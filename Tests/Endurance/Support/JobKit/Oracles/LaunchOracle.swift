import JobKit

/// A call by the user.
enum LaunchStep: Hashable, Sendable {
    case set(LaunchNeed, SeedItem)
    case open
    case complete(SeedItem)
    case prioritize(SeedItem, before: SeedItem)
}

/// A closure of the user that runs.
enum LaunchEvent: Hashable, Sendable {
    case presented(SeedItem)
    case withdrawn(SeedItem)
}

/// Computes the required events from the facts and the wording of D1 and D2 alone.
struct LaunchOracle: Hashable, Sendable {
    var order = SeedItem.prioritized
    var independent: Set<SeedItem> = []
    var waitsForUnknown = false
    private var needs: [SeedItem: LaunchNeed] = [:]
    private var completed: Set<SeedItem> = []
    private var isOpen = false
    private(set) var executing: Set<SeedItem> = []

    init(independent: Set<SeedItem> = [], waitsForUnknown: Bool) {
        self.independent = independent
        self.waitsForUnknown = waitsForUnknown
    }

    func need(for item: SeedItem) -> LaunchNeed { needs[item] ?? .unknown }

    func state(of item: SeedItem) -> LaunchDecisions<SeedItem>.State? {
        guard needs[item] == .needed else { return nil }
        if completed.contains(item) { return .completed }
        return executing.contains(item) ? .executing : .suspended
    }

    /// Withdrawals come first, then the presentation from the list, then independent ones.
    mutating func take(_ step: LaunchStep) -> [LaunchEvent] {
        let before = executing
        let overtaken = overtaken(by: step)
        change(step)
        executing = presentable(before.subtracting(overtaken))
        let withdrawn = before.subtracting(executing).subtracting(completed)
        let presented = executing.subtracting(before)
        return SeedItem.allCases.filter(withdrawn.contains).map(LaunchEvent.withdrawn)
            + SeedItem.allCases.filter(presented.contains).map(LaunchEvent.presented)
    }

    /// Returns the executing items that an item of unknown need moves above.
    private func overtaken(by step: LaunchStep) -> Set<SeedItem> {
        guard case .prioritize(let item, before: let other) = step, need(for: item) == .unknown,
            let place = order.firstIndex(of: item), let target = order.firstIndex(of: other),
            target < place
        else { return [] }
        return executing.intersection(order[target..<place])
    }

    private mutating func change(_ step: LaunchStep) {
        switch step {
        case .set(let need, let item):
            if need != .needed { completed.remove(item) }
            needs[item] = need
        case .open:
            isOpen = true
        case .complete(let item):
            if executing.contains(item) { completed.insert(item) }
        case .prioritize(let item, before: let other):
            guard let place = order.firstIndex(of: item), order.prefix(place).contains(other)
            else { return }
            order.remove(at: place)
            order.insert(item, at: order.firstIndex(of: other) ?? 0)
        }
    }

    private func presentable(_ before: Set<SeedItem>) -> Set<SeedItem> {
        guard isOpen else { return [] }
        let open = Set(needs.filter { $0.value == .needed }.keys).subtracting(completed)
        var all = open.intersection(independent)
        guard let first = order.first(where: open.contains) else { return all }
        let isUnknownAbove = order.prefix { $0 != first }.contains { need(for: $0) == .unknown }
        if !waitsForUnknown || !isUnknownAbove || before.contains(first) { all.insert(first) }
        return all
    }
}
