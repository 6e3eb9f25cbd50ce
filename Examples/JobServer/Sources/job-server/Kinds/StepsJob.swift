import Foundation
import JobKit
import JobService

/// The number of completed steps.
struct StepsResult: Codable, Sendable {
    let steps: Int
}

/// The requested failure of a step.
struct StepFailed: Error, CustomStringConvertible {
    let number: Int

    var description: String { "Step \(number) failed, as requested." }
}

// Operation forces @unchecked. Only callbacks use the variables, and they run one at a time (J1).
/// A job of waiting steps.
final class StepsJob: ResultJob<StepsResult>, @unchecked Sendable {
    /// The number of steps tracked in advance.
    ///
    /// A job with more steps tracks the rest as it runs.
    static let stepsAhead = 100_000

    private static let steps = JobGroup.named("steps")

    private let parameters: StepsKind.Parameters
    private var known = 0
    private var taken = 0

    init(_ parameters: StepsKind.Parameters, in environment: JobEnvironment) {
        self.parameters = parameters
        super.init(queue: environment.queue)
        name = StepsKind().title(of: parameters)
        setMaxConcurrentOperationCount(parameters.width ?? environment.width, for: Self.steps)
    }

    override func main() {
        while known < min(parameters.count, Self.stepsAhead) { trackNext() }
    }

    private func trackNext() {
        known += 1
        let step = Step(
            number: known,
            milliseconds: parameters.milliseconds,
            fails: parameters.fails == known,
            isStubborn: parameters.stubborn ?? false
        )
        trackAndQueue(step, group: Self.steps) { [self] _ in
            taken += 1
            if known < parameters.count { trackNext() }
        }
    }

    override func allTasksFinished() {
        finish(returning: StepsResult(steps: taken))
    }
}

// Operation forces @unchecked. The stored properties are constant.
/// A step that waits without a thread.
final class Step: ConcurrentOperation, @unchecked Sendable {
    private let number: Int
    // Stored, because observers receive it with each event.
    private let title: String
    private let milliseconds: Int
    private let fails: Bool
    private let isStubborn: Bool

    init(number: Int, milliseconds: Int, fails: Bool, isStubborn: Bool) {
        self.number = number
        title = "Step \(number)"
        self.milliseconds = milliseconds
        self.fails = fails
        self.isStubborn = isStubborn
        super.init()
    }

    /// Its number, unless a name is set.
    override var name: String? {
        get { super.name ?? title }
        set { super.name = newValue }
    }

    override func main() {
        guard milliseconds > 0 else { return end() }
        perform(after: .milliseconds(milliseconds)) { [self] in end() }
    }

    override func didCancel() {
        if !isStubborn { finish() }
    }

    private func end() {
        if fails {
            finish(with: StepFailed(number: number))
        } else {
            finish()
        }
    }
}
