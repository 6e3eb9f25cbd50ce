import Foundation

/// What one task costs in processor time where it passes, in microseconds, as it was measured.
struct TaskCosts: Codable, Equatable {
    /// A controller publishes a task and hears that the broker has it.
    var publish: Double
    /// A controller takes a task's outcome.
    var settle: Double
    /// The broker takes a task into its job's queue.
    var enqueue: Double
    /// The broker hands a task to a worker and hears that it is done.
    var deliver: Double
    /// The broker appends one message with outcomes to a job's stream and hands it to the
    /// controller.
    var append: Double
    /// A worker takes a task and tells its outcome, the work itself not counted.
    var worker: Double
    /// The broker makes and removes what one job needs.
    var job: Double

    /// Costs of nothing.
    static let none = TaskCosts(
        publish: 0,
        settle: 0,
        enqueue: 0,
        deliver: 0,
        append: 0,
        worker: 0,
        job: 0
    )

    /// Reads the costs that `benchmarks costs` has written.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - name: Which of its costs, `together` or `alone`.
    /// - Returns: The costs.
    /// - Throws: Why it cannot be read, or ``WrongCost``.
    static func read(_ file: String, _ name: String) throws -> TaskCosts {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let all = try JSONDecoder().decode([String: TaskCosts].self, from: data)
        guard let costs = all[name] else { throw WrongCost("\(file) has no costs \"\(name)\"") }
        try costs.check()
        return costs
    }

    /// Refuses what is no time.
    func check() throws {
        for cost in [publish, settle, enqueue, deliver, append, worker, job] {
            guard cost.isFinite, cost >= 0 else { throw WrongCost("\(cost) µs is no cost") }
        }
    }
}

/// A cost that cannot be used.
struct WrongCost: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
