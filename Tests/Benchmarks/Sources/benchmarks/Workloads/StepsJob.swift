import JobKit

/// A job whose every callback starts the next step, with some steps in flight at a time.
// Unchecked, as every Operation subclass: `remaining` is used by serial callbacks only (J1).
final class StepsJob: JobController, @unchecked Sendable {
    private let inFlight: Int
    private let isGrouped: Bool
    private let limit: Duration?
    private let completed: @Sendable (_ remaining: Int) -> Void
    private var unstarted: Int
    private var remaining: Int

    /// Makes a job of so many steps.
    ///
    /// - Parameters:
    ///   - queue: Where the steps run.
    ///   - steps: How many steps the job has.
    ///   - inFlight: How many steps the job starts before the first has ended.
    ///   - isGrouped: Whether each step has a named group of its own.
    ///   - limit: The maximum runtime of each step; nil for none.
    ///   - completed: Called for each step with the number of those still to complete.
    init(
        queue: any OperationScheduling,
        steps: Int,
        inFlight: Int = 1,
        isGrouped: Bool = false,
        limit: Duration? = nil,
        completed: @escaping @Sendable (_ remaining: Int) -> Void
    ) {
        self.inFlight = min(inFlight, steps)
        self.isGrouped = isGrouped
        self.limit = limit
        self.completed = completed
        unstarted = steps
        remaining = steps
        super.init(queue: queue)
    }

    override func main() {
        for _ in 0..<inFlight { startStep() }
    }

    private func startStep() {
        unstarted -= 1
        let group: JobGroup? = isGrouped ? .named("\(unstarted)") : nil
        let step = EmptyTask()
        if let limit { step.maximumRuntime = limit }
        trackAndQueue(step, group: group) { [self] _ in
            remaining -= 1
            if unstarted > 0 { startStep() }
            completed(remaining)
        }
    }
}
