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
        var subscribers: [(id: Int, subscriber: Subscriber)] = []
    }

    private var priority: [Item] = []
    private let independent: Set<Item>
    private let waitsForUnknown: Bool
    private var entries: [Item: Entry] = [:]
    private var isOpen = false
    /// The item of the priority list that is presented.
    private var executing: Item?
    /// Independent items that wait for the opening, in the order in which they became needed.
    private var waiting: [Item] = []
    private var subscriberCount = 0

    init(priority: [Item], independent: Set<Item>, waitsForUnknown: Bool) {
        var listed: Set<Item> = []
        self.priority = priority.filter { listed.insert($0).inserted }
        self.independent = independent.subtracting(listed)
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
        if executing == item { executing = nil }
        return Decision(reactions: settle())
    }

    mutating func itemPrioritized(_ item: Item, before other: Item) -> Decision {
        guard let place = priority.firstIndex(of: item),
            let target = priority.firstIndex(of: other), target < place
        else { return Decision() }
        priority.insert(priority.remove(at: place), at: target)
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
        subscriberCount += 1
        entries[item, default: Entry()].subscribers.append((subscriberCount, subscriber))
        let update = Update(subscriber: subscriber, need: need(for: item))
        return (subscriberCount, Decision(updates: [update]))
    }

    /// Returns the subscriber, so that it is let go of outside the lock.
    mutating func subscriberEnded(_ id: Int, for item: Item) -> Subscriber? {
        guard let index = entries[item]?.subscribers.firstIndex(where: { $0.id == id }) else {
            return nil
        }
        return entries[item]?.subscribers.remove(at: index).subscriber
    }

    func subscribers() -> [Subscriber] {
        entries.keys.flatMap { subscribers(of: $0) }
    }

    private func subscribers(of item: Item) -> [Subscriber] {
        entries[item]?.subscribers.map(\.subscriber) ?? []
    }

    // MARK: Deciding

    private mutating func becameNeeded(_ item: Item) {
        if independent.contains(item) {
            waiting.append(item)
        } else if !priority.contains(item) {
            return
        }
        entries[item]?.state = .suspended
    }

    private mutating func noLongerNeeded(_ item: Item) -> [Reaction] {
        let wasExecuting = state(of: item) == .executing
        entries[item]?.state = nil
        waiting.removeAll { $0 == item }
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
        for item in waiting { reactions += present(item) }
        waiting = []
        return reactions
    }

    /// The needed item of highest priority, and whether an unknown one above it holds it back.
    private func firstOfPriority() -> (item: Item?, isHeldBack: Bool) {
        var isHeldBack = false
        for item in priority {
            if let state = state(of: item), state != .completed { return (item, isHeldBack) }
            if waitsForUnknown && need(for: item) == .unknown { isHeldBack = true }
        }
        return (nil, isHeldBack)
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
