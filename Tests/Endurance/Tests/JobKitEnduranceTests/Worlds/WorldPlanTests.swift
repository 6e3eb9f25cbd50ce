import Foundation
import Testing

@Suite struct WorldPlanTests {
    private static let seeds: [UInt64] = Array(0..<100)

    @Test(arguments: seeds) func seedDrawsTheSameWorldAgain(seed: UInt64) {
        #expect(WorldPlan(seed: seed) == WorldPlan(seed: seed))
    }

    @Test func seedsDrawWorldsOfEveryKindOfTaskAndCall() {
        var members: Set<ChaosCall.Member> = []
        var kinds: Set<String> = []
        func note(_ tasks: [TaskPlan]) {
            for task in tasks {
                kinds.insert(String("\(task.kind)".prefix { $0 != "(" }))
                note(task.next)
                switch task.kind {
                case .job(let job), .sharing(let job): note(job.tasks)
                default: break
                }
            }
        }
        for seed in Self.seeds {
            let world = WorldPlan(seed: seed)
            members.formUnion(world.chaos.flatMap { $0 }.map(\.member))
            note(world.root.tasks)
        }
        #expect(members.count == ChaosCall.Member.allCases.count)
        #expect(kinds.count == 17)
    }

    @Test(arguments: seeds) func worldSurvivesItsJSON(seed: UInt64) throws {
        let world = WorldPlan(seed: seed)
        let data = try JSONEncoder().encode(world)
        #expect(try JSONDecoder().decode(WorldPlan.self, from: data) == world)
    }

    @Test(arguments: seeds.prefix(20)) func smallerWorldsAreSmaller(seed: UInt64) {
        let world = WorldPlan(seed: seed)
        for smaller in world.smaller() { #expect(smaller.size < world.size) }
    }

    /// If every world fails, shrinking must end at the smallest one.
    @Test func shrinkingEndsAtAnEmptyWorld() {
        var world = WorldPlan(seed: 1)
        while let smaller = world.smaller().first { world = smaller }
        #expect(world.root.tasks.isEmpty)
        #expect(world.chaos.isEmpty)
        #expect(world.size == 1)
    }

    @Test func partsAreHalvesThenQuartersThenElements() {
        #expect(WorldPlan.parts(of: 4) == [0..<4, 0..<2, 2..<4, 0..<1, 1..<2, 2..<3, 3..<4])
        #expect(WorldPlan.parts(of: 0).isEmpty)
    }
}
