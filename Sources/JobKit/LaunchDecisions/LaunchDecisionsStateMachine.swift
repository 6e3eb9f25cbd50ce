/// Decides which launch items are presented and withdrawn, and who is told.
///
/// `Reaction` stands for the user's closure, `Subscriber` for who reads an item's needs.
struct LaunchDecisionsStateMachine<
    Item: Hashable & Sendable,
    Reaction: Sendable,
    Subscriber: Sendable
>: Sendable {
    typealias State = LaunchDecisions<Item>.State

    /// A need that one subscriber is to be told.
    struct Update: Sendable {
        let subscriber: Subscriber
        let need: Need
    }

    /// What is to be done, each list in its order.
    struct Decision: Sendable {
        var updates: [Update] = []
        var reactions: [Reaction] = []
    }

    private struct Entry: Sendable {
        var need = Need.unknown
        var state: State?
        var presentations: [Reaction] = []
        var withdrawals: [Reaction] = []
        var subscribers = LaunchSubscribers<Subscriber>()
        /// How many waited before this independent item, which waits for the opening.
        var turn: Int?
    }

    /// The items of the priority list, by their numbers in `order`.
    private let prioritized: [Item]
    private let numbers: [Item: Int]
    private var order: PriorityOrder
    private let independent: Set<Item>
    private let waitsForUnknown: Bool
    private var entries: [Item: Entry] = [:]
    private var isOpen = false
    /// The item of the priority list that is presented.
    private var executing: Item?
    /// Independent items that wait for the opening, by their turns.
    private var waiting: [Int: Item] = [:]
    private var turnCount = 0

    init(priority: [Item], independent: Set<Item>, waitsForUnknown: Bool) {
        var numbers: [Item: Int] = [:]
        prioritized = priority.filter { item in
            guard numbers[item] == nil else { return false }
            numbers[item] = numbers.count
            return true
        }
        self.numbers = numbers
        order = PriorityOrder(count: prioritized.count, marks: .unknown)
        self.independent = independent.subtracting(prioritized)
        self.waitsForUnknown = waitsForUnknown
    }

    func need(for item: Item) -> Need { entries[item]?.need ?? .unknown }

    func state(of item: Item) -> State? { entries[item]?.state }

    mutating func needSet(_ need: Need, for item: Item) -> Decision {
        let old = self.need(for: item)
        entries[item, default: Entry()].need = need
        var decision = Decision()
        decision.updates = subscribers(of: item).map { Update(subscriber: $0, need: need) }
        guard need != old else { return decision }
        if need == .needed {
            becameNeeded(item)
        } else {
            decision.reactions = noLongerNeeded(item)
        }
        mark(item)
        decision.reactions += settle()
        return decision
    }

    mutating func opened() -> Decision {
        isOpen = true
        return Decision(reactions: settle())
    }

    mutating func itemCompleted(_ item: Item) -> Decision {
        guard state(of: item) == .executing else { return Decision() }
        entries[item]?.state = .completed
        mark(item)
        if executing == item { executing = nil }
        return Decision(reactions: settle())
    }

    mutating func itemPrioritized(_ item: Item, before other: Item) -> Decision {
        guard let number = numbers[item], let target = numbers[other],
            order.isBefore(target, number)
        else { return Decision() }
        order.move(number, before: target)
        return Decision(reactions: settle())
    }

    // MARK: Who is told

    mutating func presentationAdded(_ reaction: Reaction, for item: Item) -> Decision {
        entries[item, default: Entry()].presentations.append(reaction)
        return Decision(reactions: state(of: item) == .executing ? [reaction] : [])
    }

    mutating func withdrawalAdded(_ reaction: Reaction, for item: Item) {
        entries[item, default: Entry()].withdrawals.append(reaction)
    }

    /// The subscriber's first update is the need of this moment.
    mutating func subscriberAdded(
        _ subscriber: Subscriber,
        for item: Item
    ) -> (id: Int, decision: Decision) {
        let id = entries[item, default: Entry()].subscribers.add(subscriber)
        let update = Update(subscriber: subscriber, need: need(for: item))
        return (id, Decision(updates: [update]))
    }

    /// Returns the subscriber, so that it is let go of outside the lock.
    mutating func subscriberEnded(_ id: Int, for item: Item) -> Subscriber? {
        entries[item]?.subscribers.remove(id)
    }

    func subscribers() -> [Subscriber] {
        entries.keys.flatMap { subscribers(of: $0) }
    }

    private func subscribers(of item: Item) -> [Subscriber] {
        entries[item]?.subscribers.all ?? []
    }

    // MARK: Deciding

    private mutating func becameNeeded(_ item: Item) {
        if independent.contains(item) {
            waiting[turnCount] = item
            entries[item]?.turn = turnCount
            turnCount += 1
        } else if numbers[item] == nil {
            return
        }
        entries[item]?.state = .suspended
    }

    private mutating func noLongerNeeded(_ item: Item) -> [Reaction] {
        let wasExecuting = state(of: item) == .executing
        entries[item]?.state = nil
        if let turn = entries[item]?.turn.take() { waiting[turn] = nil }
        if executing == item { executing = nil }
        return wasExecuting ? entries[item]?.withdrawals ?? [] : []
    }

    /// Makes the state fit D1: withdraws first, then presents.
    private mutating func settle() -> [Reaction] {
        guard isOpen else { return [] }
        var reactions: [Reaction] = []
        let (first, isHeldBack) = firstOfPriority()
        if first != executing {
            if let executing { reactions += withdraw(executing) }
            executing = isHeldBack ? nil : first
            if let executing { reactions += present(executing) }
        }
        for (_, item) in waiting.sorted(by: { $0.key < $1.key }) {
            entries[item]?.turn = nil
            reactions += present(item)
        }
        waiting = [:]
        return reactions
    }

    /// Shows in the order whether an item of the list can be presented, and whether it is unknown.
    private mutating func mark(_ item: Item) {
        guard let number = numbers[item] else { return }
        var marks: PriorityOrder.Marks = []
        if let state = state(of: item), state != .completed { marks.insert(.presentable) }
        if need(for: item) == .unknown { marks.insert(.unknown) }
        order.setMarks(marks, of: number)
    }

    /// The needed item of highest priority, and whether an unknown one above it holds it back.
    private func firstOfPriority() -> (item: Item?, isHeldBack: Bool) {
        guard let first = order.first(with: .presentable) else { return (nil, false) }
        guard waitsForUnknown, let unknown = order.first(with: .unknown) else {
            return (prioritized[first], false)
        }
        return (prioritized[first], order.isBefore(unknown, first))
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
