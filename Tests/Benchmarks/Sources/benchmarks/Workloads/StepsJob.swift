import JobKit

/// A job in which every callback starts the next step, with some steps in flight.
// Unchecked, like every Operation subclass: only serial callbacks use `remaining` (J1).
final class StepsJob: JobController, @unchecked Sendable {
    private let inFlight: Int
    private let isGrouped: Bool
    private let limit: Duration?
    private let completed: @Sendable (_ remaining: Int) -> Void
    private var unstarted: Int
    private var remaining: Int

    /// Creates a job of `steps` steps.
    ///
    /// - Parameters:
    ///   - queue: The queue that runs the steps.
    ///   - steps: The number of steps.
    ///   - inFlight: The number of steps that the job starts before the first has finished.
    ///   - isGrouped: Whether each step has its own named group.
    ///   - limit: The maximum runtime of each step, or nil for none.
    ///   - completed: Called for each step with the number of steps that remain.
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
