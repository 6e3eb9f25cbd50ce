import Foundation
import JobKit

/// Identifies an operation or the Swift task of a body.
///
/// Their addresses are not used, because another one may get the same address.
struct StepKey: Hashable, Sendable {
    private let number: String

    init(_ operation: Operation) { number = "\(operation.operationID)" }

    /// The description contains the number of the Swift task, which is unique in the process.
    ///
    /// A part after `Task.yield()` has no number. Its address is unique until it has run.
    init(_ part: UnownedJob) {
        let text = part.description
        number = text.contains("nil") ? "\(unsafeBitCast(part, to: UInt.self)) \(text)" : text
    }

    /// Whether another part may get the same key later.
    var isReused: Bool { number.contains("nil") }
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

/// Chooses among several steps.
protocol StepRule: Sendable {
    mutating func choose(among keys: [StepKey]) -> Int
}

/// Takes the given steps in order, and then always the first one.
extension ArraySlice: StepRule where Element == Int {
    mutating func choose(among keys: [StepKey]) -> Int {
        // An order of another job may name a step that does not exist.
        Swift.min(popFirst() ?? 0, keys.count - 1)
    }
}

/// Chooses the steps of a run, and records them if an order must be repeatable.
struct StepChooser: Sendable {
    /// For the order of ``StepQueue/run(_:seed:patience:)``, which is not recorded.
    private var generator: StepGenerator
    /// Nil for an order that is not recorded.
    private var rule: (any StepRule)?
    private(set) var trace: [StepTrace] = []
    private var outside: Set<StepKey> = []
    /// The names of operations whose bodies have begun.
    private var names: [StepKey: String] = [:]
    /// The name of the last step, which new parts of bodies belong to.
    private var lastName = "the job"

    init(seed: UInt64) { generator = StepGenerator(seed: seed) }

    init(_ rule: any StepRule) { (generator, self.rule) = (StepGenerator(seed: 0), rule) }

    /// Chooses a step.
    ///
    /// Nil if none is possible. A round without a step changes no rule, because the number of such
    /// rounds depends on time.
    mutating func draw(
        from steps: StepQueue,
        _ executor: StepExecutor,
        addedOutside: Set<StepKey>
    ) -> StepQueue.Draw? {
        guard rule != nil else {
            var next = generator
            let draw = steps.draw(besides: executor.count, using: &next)
            if draw != nil { generator = next }
            return draw
        }
        outside.formUnion(addedOutside)
        let parts = executor.keys
        let operations = steps.held.filter(\.isReady)
        let keys = parts + operations.map { StepKey($0) }
        for part in parts where names[part] == nil { names[part] = lastName }
        for (key, operation) in zip(keys.dropFirst(parts.count), operations) {
            names[key] = operationLabel(operation)
        }
        guard !keys.isEmpty else { return nil }
        let choice = keys.count == 1 ? 0 : rule?.choose(among: keys) ?? 0
        lastName = names[keys[choice]] ?? ""
        let first = keys.first { outside.contains($0) }
        trace.append(
            StepTrace(
                name: lastName,
                choice: choice,
                count: keys.count,
                outside: first.flatMap { names[$0] }
            )
        )
        outside.remove(keys[choice])
        if keys[choice].isReused { names[keys[choice]] = nil }
        return choice < parts.count ? .other(choice) : .operation(operations[choice - parts.count])
    }
}
