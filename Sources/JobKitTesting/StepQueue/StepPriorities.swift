/// Chooses the step of highest priority, and lowers a priority at a few random steps.
///
/// A fault that needs *d* steps in a certain order is found with a probability that depends on *d*
/// and much less on the number of steps.
///
/// > Source: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A randomized scheduler with
/// > probabilistic guarantees of finding bugs", ASPLOS 2010.
struct StepPriorities: StepRule {
    private var generator: StepGenerator
    private var priorities: [StepKey: Double] = [:]
    private var changes: Set<Int> = []
    private var count = 0

    /// - Parameters:
    ///   - seed: The seed of the priorities.
    ///   - steps: The number of choices in a run.
    init(seed: UInt64, steps: Int) {
        generator = StepGenerator(seed: seed)
        for _ in 0..<Int(seed % 3) {
            changes.insert(Int.random(in: 0..<max(1, steps), using: &generator))
        }
    }

    mutating func choose(among keys: [StepKey]) -> Int {
        for key in keys where priorities[key] == nil {
            priorities[key] = .random(in: 0..<1, using: &generator)
        }
        defer { count += 1 }
        let choice = highest(keys)
        guard changes.contains(count) else { return choice }
        priorities[keys[choice]] = -Double(count + 1)
        return highest(keys)
    }

    private func highest(_ keys: [StepKey]) -> Int {
        keys.indices.max { priorities[keys[$0], default: 0] < priorities[keys[$1], default: 0] }
            ?? 0
    }
}
