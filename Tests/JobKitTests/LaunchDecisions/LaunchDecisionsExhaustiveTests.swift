import Testing

@testable import JobKit

/// Checks D1 and D2 for every sequence of events of the four prioritized ``SeedItem``s.
@Suite struct LaunchDecisionsExhaustiveTests {
    typealias Machine = LaunchDecisionsStateMachine<SeedItem, LaunchEvent>

    // D1, D2: 81 assignments in 24 orders, with the opening at 5 positions, and then each completed
    @Test(arguments: [false, true])
    func everyAssignmentInEveryOrderAgreesWithTheOracle(waitsForUnknown: Bool) {
        var runs = 0
        for assignment in assignments(of: SeedItem.prioritized) {
            for order in permutations(of: assignment) {
                for place in 0...order.count {
                    var pair = Pair(waitsForUnknown: waitsForUnknown)
                    var steps = order
                    steps.insert(.open, at: place)
                    for step in steps { pair.take(step) }
                    pair.completeAll()
                    runs += 1
                }
            }
        }
        #expect(runs == 81 * 24 * 5)
    }

    // D1, D2: every call in every reachable state with all four items in their first order
    @Test(arguments: [false, true])
    func everyCallInEveryStateAgreesWithTheOracle(waitsForUnknown: Bool) {
        let states = explore(changes(of: SeedItem.prioritized), waitsForUnknown: waitsForUnknown)
        #expect(states > 500)
    }

    // D1, D2: the same for three items in all their orders
    @Test(arguments: [false, true])
    func everyCallInEveryStateAndOrderAgreesWithTheOracle(waitsForUnknown: Bool) {
        let items = Array(SeedItem.prioritized.prefix(3))
        let moves = items.flatMap { item in
            items.map { LaunchStep.prioritize(item, before: $0) }
        }
        let states = explore(changes(of: items) + moves, waitsForUnknown: waitsForUnknown)
        #expect(states > 500)
    }

    /// Takes every step in every reachable state, and returns the number of states.
    private func explore(_ steps: [LaunchStep], waitsForUnknown: Bool) -> Int {
        var seen: Set<LaunchOracle> = []
        var frontier = [Pair(waitsForUnknown: waitsForUnknown)]
        while let pair = frontier.popLast() {
            for step in steps {
                var next = pair
                next.take(step)
                if seen.insert(next.oracle).inserted { frontier.append(next) }
            }
        }
        return seen.count
    }

    private func changes(of items: [SeedItem]) -> [LaunchStep] {
        items.flatMap { item -> [LaunchStep] in
            [.set(.unknown, item), .set(.needed, item), .set(.notNeeded, item), .complete(item)]
        } + [.open]
    }

    private func assignments(of items: [SeedItem]) -> [[LaunchStep]] {
        items.reduce([[]]) { lists, item in
            lists.flatMap { list in
                [LaunchNeed.unknown, .needed, .notNeeded].map { list + [.set($0, item)] }
            }
        }
    }

    private func permutations(of steps: [LaunchStep]) -> [[LaunchStep]] {
        guard !steps.isEmpty else { return [[]] }
        return steps.indices.flatMap { index in
            var rest = steps
            let first = rest.remove(at: index)
            return permutations(of: rest).map { [first] + $0 }
        }
    }

    /// The machine and the oracle.
    private struct Pair {
        var machine: Machine
        var oracle: LaunchOracle

        init(waitsForUnknown: Bool) {
            machine = Machine(
                priority: SeedItem.prioritized,
                independent: [],
                waitsForUnknown: waitsForUnknown
            )
            oracle = LaunchOracle(waitsForUnknown: waitsForUnknown)
            for item in SeedItem.prioritized {
                _ = machine.presentationAdded(.presented(item), for: item)
                machine.withdrawalAdded(.withdrawn(item), for: item)
            }
        }

        mutating func take(_ step: LaunchStep) {
            let reactions = machine.take(step)
            let expected = oracle.take(step)
            guard reactions == expected, fits() else {
                Issue.record("\(step): \(reactions) instead of \(expected), \(oracle)")
                return
            }
        }

        /// Acts as a user that deals with each item in turn.
        mutating func completeAll() {
            while let item = oracle.executing.first { take(.complete(item)) }
        }

        private func fits() -> Bool {
            SeedItem.prioritized.allSatisfy {
                machine.state(of: $0) == oracle.state(of: $0)
                    && machine.need(for: $0) == oracle.need(for: $0)
            }
        }
    }
}

extension LaunchDecisionsStateMachine where Item == SeedItem {
    mutating func take(_ step: LaunchStep) -> [Reaction] {
        switch step {
        case .set(let need, let item): needSet(need, for: item)
        case .open: opened()
        case .complete(let item): itemCompleted(item)
        case .prioritize(let item, before: let other): itemPrioritized(item, before: other)
        }
    }
}
