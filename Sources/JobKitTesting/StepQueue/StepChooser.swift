import Foundation
import JobKit

/// Identifies an operation or the Swift task of a body, for as long as it exists.
struct StepKey: Hashable, Sendable {
    private let pointer: UInt

    init(_ operation: Operation) { pointer = UInt(bitPattern: ObjectIdentifier(operation)) }
    init(_ part: UnownedJob) { pointer = unsafeBitCast(part, to: UInt.self) }
}

/// A step that a run has taken.
struct StepTrace: Sendable {
    /// The name of the operation that was started, or whose body continued.
    let name: String
    /// The index of the chosen step.
    let choice: Int
    /// The number of steps that were possible.
    let count: Int
    /// The first step that another thread had made possible, among those possible here.
    let outside: String?
}

/// The result of a recorded run.
struct StepRunResult: Sendable {
    let error: (any Error)?
    let trace: [StepTrace]

    func get() throws { if let error { throw error } }
}

/// Chooses the steps of a run, and records them if an order must be repeatable.
struct StepChooser: Sendable {
    private enum Rule {
        /// The order of ``StepQueue/run(_:seed:patience:)``, which is not recorded.
        case seed(StepGenerator)
        case random(StepGenerator)
        /// Choices among several steps, in order. After the last one, the first step is taken.
        case order(ArraySlice<Int>)
        case priorities(StepPriorities)
    }

    private var rule: Rule
    private(set) var trace: [StepTrace] = []
    private var outside: Set<StepKey> = []
    /// The names of operations whose bodies have begun.
    private var names: [StepKey: String] = [:]
    /// The name of the last step, which new parts of bodies belong to.
    private var lastName = "the job"
    let isRecorded: Bool

    init(seed: UInt64) { (rule, isRecorded) = (.seed(StepGenerator(seed: seed)), false) }

    init(randomSeed seed: UInt64) {
        (rule, isRecorded) = (.random(StepGenerator(seed: seed)), true)
    }

    init(order: [Int]) { (rule, isRecorded) = (.order(order[...]), true) }

    init(priorities: StepPriorities) { (rule, isRecorded) = (.priorities(priorities), true) }

    /// Chooses a step.
    ///
    /// Nil if none is possible. A round without a step changes no rule, because the number of such
    /// rounds depends on time.
    mutating func draw(
        from steps: StepQueue,
        _ executor: StepExecutor,
        addedOutside: Set<StepKey>
    ) -> StepQueue.Draw? {
        if case .seed(var generator) = rule {
            guard let draw = steps.draw(besides: executor.count, using: &generator) else {
                return nil
            }
            rule = .seed(generator)
            return draw
        }
        outside.formUnion(addedOutside)
        let parts = executor.keys
        let operations = steps.held.filter(\.isReady)
        let keys = parts + operations.map { StepKey($0) }
        for part in parts where names[part] == nil { names[part] = lastName }
        guard !keys.isEmpty else { return nil }
        let choice = keys.count == 1 ? 0 : choose(among: keys)
        func name(_ index: Int) -> String {
            index < parts.count
                ? names[keys[index]] ?? "" : operationLabel(operations[index - parts.count])
        }
        lastName = name(choice)
        let first = keys.indices.first { outside.contains(keys[$0]) }
        trace.append(
            StepTrace(
                name: lastName,
                choice: choice,
                count: keys.count,
                outside: first.map(name)
            )
        )
        outside.remove(keys[choice])
        if choice < parts.count { return .other(choice) }
        // Another operation may get its address.
        if case .priorities(var priorities) = rule {
            priorities.forget(keys[choice])
            rule = .priorities(priorities)
        }
        return .operation(operations[choice - parts.count])
    }

    private mutating func choose(among keys: [StepKey]) -> Int {
        switch rule {
        case .seed: return 0
        case .random(var generator):
            let choice = Int.random(in: keys.indices, using: &generator)
            rule = .random(generator)
            return choice
        case .order(var rest):
            // An order of another job may name a step that does not exist.
            let choice = min(rest.popFirst() ?? 0, keys.count - 1)
            rule = .order(rest)
            return choice
        case .priorities(var priorities):
            let choice = priorities.choose(among: keys)
            rule = .priorities(priorities)
            return choice
        }
    }
}
