import Testing

@testable import JobKit

/// Explores every interleaving of the threads around a queue limited to 1, in small worlds (Q1,
/// J12).
///
/// A fuzzer outside this project once counted two leaves at the same time between their `main()`
/// and their completion in such a queue. No interleaving of the current shell lets two leaves
/// execute: a leaf keeps its permit from before its start until its completion is processed, and a
/// permit is lent to one operation at a time.
///
/// One effect remains, which is no defect. When another thread finishes an operation, the code of
/// its `main()` may still run, or be about to begin. An operation has finished when it reports so,
/// and the next may start. Therefore, a counter inside `main()` can count two, although
/// `isExecuting` was true for only one. At the time of that report, `main()` could even be entered
/// after the completion, which O5 now forbids.
@Suite struct TaskQueueShellTests {
    typealias World = TaskQueueShellWorld
    typealias Plan = TaskQueueShellWorld.Plan

    private static let leaf = Plan(finishesOutside: true)

    private static func leaf(of parent: Int, isLeft: Bool = false) -> Plan {
        Plan(parent: parent, finishesOutside: true, isLeft: isLeft)
    }

    static let worlds = smallWorlds + (runsLong ? largeWorlds : [])

    private static let smallWorlds: [(name: String, plans: [Plan])] = [
        ("two leaves", [Plan(first: [1, 2]), leaf(of: 0), leaf(of: 0)]),
        (
            "a leaf that ends in its start, and two that do not",
            [Plan(first: [1, 2, 3]), Plan(parent: 0), leaf(of: 0), leaf(of: 0)]
        ),
        ("two jobs", [Plan(first: [2]), Plan(first: [3]), leaf(of: 0), leaf(of: 1)]),
        (
            "a job in a job",
            [Plan(first: [1, 2]), Plan(parent: 0, first: [3]), leaf(of: 0), leaf(of: 1)]
        ),
        (
            "three jobs in each other",
            [
                Plan(first: [1]), Plan(parent: 0, first: [2]), Plan(parent: 1, first: [3, 4]),
                leaf(of: 2), leaf(of: 2),
            ]
        ),
    ]

    /// Each takes as long as all small ones.
    private static let largeWorlds: [(name: String, plans: [Plan])] = [
        (
            "a leaf after a leaf, and a stranger",
            [Plan(first: [1], later: [2]), leaf(of: 0), leaf(of: 0), leaf]
        ),
        (
            "a leaf that outlives its job",
            [Plan(first: [1, 2]), leaf(of: 0, isLeft: true), leaf(of: 0), leaf]
        ),
    ]

    /// Visits every reachable world.
    ///
    /// - Returns: The number of worlds, and a violation if there is one.
    static func search(_ world: World) -> (count: Int, broken: String?) {
        var seen: Set<World.Key> = [world.key]
        var open = [world]
        while let world = open.popLast() {
            let movable = world.movable
            if movable.isEmpty, let broken = world.brokenAtTheEnd { return (seen.count, broken) }
            for thread in movable {
                var next = world
                next.step(thread)
                if let broken = next.broken { return (seen.count, broken) }
                if seen.insert(next.key).inserted { open.append(next) }
            }
        }
        return (seen.count, nil)
    }

    @Test(arguments: worlds) func noInterleavingLetsTwoLeavesExecute(name: String, plans: [Plan]) {
        let (count, broken) = Self.search(World(plans))
        #expect(broken == nil, "\(name): \(broken ?? "")")
        #expect(count > 100)
    }

    @Test func searchFindsAPlaceThatIsGivenAwayBeforeTheFinish() {
        let world = World(Self.worlds[0].plans, mistake: .givesPlaceAwayBeforeTheFinish)
        #expect(Self.search(world).broken != nil)
    }
}
