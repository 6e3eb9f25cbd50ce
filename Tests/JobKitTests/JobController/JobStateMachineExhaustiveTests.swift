import Testing

/// Tries every order of five inputs on a job of up to two tasks, the second of which fails.
///
/// At full length, it tries six inputs, or eight if the build is optimized.
@Suite struct JobStateMachineExhaustiveTests {
    #if DEBUG
    private static let longest = depth(of: 6)
    #else
    private static let longest = depth(of: 8)
    #endif

    // J1, J2, J4, J5, J7, J8, J9, J14
    @Test(arguments: JobWorld.Input.allCases)
    func everyOrderOfInputsKeepsTheRules(first: JobWorld.Input) {
        guard let start = JobWorld().after(first) else { return }
        var worlds = [(start, 1)]
        var visited = 0
        while let (world, length) = worlds.popLast() {
            visited += 1
            if let broken = world.broken ?? world.brokenAfterDraining {
                Issue.record("\(broken) after \(world.history)")
                return
            }
            guard length < Self.longest else { continue }
            worlds += JobWorld.Input.allCases.compactMap { input in
                world.after(input).map { ($0, length + 1) }
            }
        }
        #expect(visited > 0)
    }
}
