import Testing

@testable import JobKit

/// Every interleaving of the threads around a queue of width 1, in small worlds (Q1, J12).
///
/// A foreign fuzzer once counted two leaves at a time between their `main()` and their finish in such a
/// queue. No interleaving of today's shell lets two leaves execute: a leaf holds its place from before its
/// start until its finish is seen, and a place is lent to one at a time. What remains, and is no
/// defect, is that the code of `main()` may still run, or be about to begin, on its thread when another
/// thread finishes the operation: an operation is finished when it says so, the next may start, and
/// whoever counts inside `main()` counts two although `isExecuting` was true of one. When it was
/// seen, a `main()` could even be entered after the finish, which O5 forbids since.
@Suite struct TaskQueueShellTests {
    typealias World = TaskQueueShellWorld
    typealias Plan = TaskQueueShellWorld.Plan

    private static let leaf = Plan(finishesOutside: true)

    private static func leaf(of parent: Int, isLeft: Bool = false) -> Plan {
        Plan(parent: parent, finishesOutside: true, isLeft: isLeft)
    }

    static let worlds: [(name: String, plans: [Plan])] = [
        ("two leaves", [Plan(first: [1, 2]), leaf(of: 0), leaf(of: 0)]),
        (
            "a leaf after a leaf, and a stranger",
            [Plan(first: [1], later: [2]), leaf(of: 0), leaf(of: 0), leaf]
        ),
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
        (
            "a leaf that outlives its job",
            [Plan(first: [1, 2]), leaf(of: 0, isLeft: true), leaf(of: 0), leaf]
        ),
    ]

    /// Visits every world that can be reached; returns how many, and what is broken in one.
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
