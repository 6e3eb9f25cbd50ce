/// Decides which launch items are presented and withdrawn, and returns their closures.
///
/// `Reaction` is the type of a user's closure. Every call searches the priority list from the top,
/// because a list contains only the items of a first screen.
struct LaunchDecisionsStateMachine<Item: Hashable & Sendable, Reaction: Sendable>: Sendable {
    typealias State = LaunchDecisions<Item>.State

    private struct Entry: Sendable {
        var need = LaunchNeed.unknown
        var state: State?
        var presentations: [Reaction] = []
        var withdrawals: [Reaction] = []
    }

    /// The priority list, the most urgent first.
    private var order: [Item]
    private let independent: Set<Item>
    private let waitsForUnknown: Bool
    private var entries: [Item: Entry] = [:]
    private var isOpen = false
    /// The independent items that are needed and have not been presented since, in order.
    ///
    /// Before the opening, they wait here. After it, the next update presents them.
    private var waiting: [Item] = []

    init(priority: [Item], independent: Set<Item>, waitsForUnknown: Bool) {
        var seen: Set<Item> = []
        order = priority.filter { seen.insert($0).inserted }
        self.independent = independent.subtracting(seen)
        self.waitsForUnknown = waitsForUnknown
    }

    func need(for item: Item) -> LaunchNeed { entries[item]?.need ?? .unknown }

    func state(of item: Item) -> State? { entries[item]?.state }

    /// The item of the priority list that is presented.
    private var executing: Item? { order.first { state(of: $0) == .executing } }

    mutating func needSet(_ need: LaunchNeed, for item: Item) -> [Reaction] {
        guard need != self.need(for: item) else { return [] }
        let reactions = state(of: item) == .executing ? withdraw(item) : []
        let isIndependent = independent.contains(item)
        let isPresentable = need == .needed && (isIndependent || order.contains(item))
        entries[item, default: Entry()].need = need
        entries[item]?.state = isPresentable ? .suspended : nil
        waiting.removeAll { $0 == item }
        if isPresentable, isIndependent { waiting.append(item) }
        return reactions + updatePresented()
    }

    mutating func opened() -> [Reaction] {
        isOpen = true
        return updatePresented()
    }

    mutating func itemCompleted(_ item: Item) -> [Reaction] {
        guard state(of: item) == .executing else { return [] }
        entries[item]?.state = .completed
        return updatePresented()
    }

    mutating func itemPrioritized(_ item: Item, before other: Item) -> [Reaction] {
        guard let index = order.firstIndex(of: item), let target = order.firstIndex(of: other),
            target < index
        else { return [] }
        var reactions: [Reaction] = []
        // An update does not withdraw an executing item because of an unknown one. Therefore, an
        // unknown item that moves above the executing one withdraws it here.
        if waitsForUnknown, need(for: item) == .unknown, let executing,
            order[target..<index].contains(executing)
        {
            reactions = withdraw(executing)
        }
        order.remove(at: index)
        order.insert(item, at: target)
        return reactions + updatePresented()
    }

    // MARK: Closures

    mutating func presentationAdded(_ reaction: Reaction, for item: Item) -> [Reaction] {
        entries[item, default: Entry()].presentations.append(reaction)
        return state(of: item) == .executing ? [reaction] : []
    }

    mutating func withdrawalAdded(_ reaction: Reaction, for item: Item) {
        entries[item, default: Entry()].withdrawals.append(reaction)
    }

    // MARK: Deciding

    /// Updates the presented items according to rule D1, which withdraws before it presents.
    private mutating func updatePresented() -> [Reaction] {
        guard isOpen else { return [] }
        var reactions: [Reaction] = []
        let executing = executing
        // The first item that is needed and not completed.
        let first = order.first { ![nil, .completed].contains(state(of: $0)) }
        // An executing item stays, even if one above it has become unknown again.
        if first != executing {
            if let executing { reactions += withdraw(executing) }
            if let first, !isHeldBack(first) { reactions += present(first) }
        }
        for item in waiting { reactions += present(item) }
        waiting = []
        return reactions
    }

    /// Whether the need of an item above this one is unknown and must be known first.
    private func isHeldBack(_ item: Item) -> Bool {
        waitsForUnknown && order.prefix { $0 != item }.contains { need(for: $0) == .unknown }
    }

    private mutating func present(_ item: Item) -> [Reaction] {
        entries[item]?.state = .executing
        return entries[item]?.presentations ?? []
    }

    private mutating func withdraw(_ item: Item) -> [Reaction] {
        entries[item]?.state = .suspended
        return entries[item]?.withdrawals ?? []
    }
}
