import Testing

/// Visits each state of a job with up to two tasks, the second of which fails.
///
/// At full length, it visits all 40,000 states, so it tries every order of any number of inputs.
/// Otherwise it visits the states after up to six inputs.
@Suite struct JobStateMachineExhaustiveTests {
    // J1, J2, J4, J5, J7, J8, J9, J14
    @Test func everyOrderOfInputsKeepsTheRules() {
        var known: Set<String> = []
        var worlds = [JobWorld()]
        var length = 0
        while !worlds.isEmpty, runsLong || length < 6 {
            length += 1
            var next: [JobWorld] = []
            for world in worlds {
                for input in JobWorld.Input.allCases {
                    guard let later = world.after(input), known.insert(later.state).inserted
                    else { continue }
                    if let broken = later.broken ?? later.brokenAfterDraining {
                        Issue.record("\(broken) after \(later.history)")
                        return
                    }
                    next.append(later)
                }
            }
            worlds = next
        }
        #expect(known.count > (runsLong ? 20_000 : 2_000))
    }
}
