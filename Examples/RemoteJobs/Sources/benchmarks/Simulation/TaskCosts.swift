import Foundation

/// The measured processor time of one task at each station, in microseconds.
struct TaskCosts: Codable, Equatable {
    /// A controller publishes a task and receives its confirm.
    var publish: Double
    /// A controller handles a task's outcome.
    var settle: Double
    /// The broker puts a task into its job's queue.
    var enqueue: Double
    /// The broker delivers a task to a worker and handles its acknowledgement.
    var deliver: Double
    /// The broker appends one message with outcomes to a job's stream and delivers it to the
    /// controller.
    var append: Double
    /// A worker takes a task and sends its outcome, without the work itself.
    var worker: Double
    /// The broker creates and removes the objects of one job.
    var job: Double

    /// Costs of zero.
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
    ///   - name: The costs to read, `together` or `alone`.
    /// - Returns: The costs.
    /// - Throws: The error of reading, or ``WrongCostError``.
    static func read(_ file: String, _ name: String) throws -> TaskCosts {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let all = try JSONDecoder().decode([String: TaskCosts].self, from: data)
        guard let costs = all[name] else {
            throw WrongCostError("\(file) has no costs \"\(name)\"")
        }
        try costs.check()
        return costs
    }

    /// Rejects invalid times.
    func check() throws {
        for cost in [publish, settle, enqueue, deliver, append, worker, job] {
            guard cost.isFinite, cost >= 0 else { throw WrongCostError("\(cost) µs is no cost") }
        }
    }
}

/// A cost that is not a valid time.
struct WrongCostError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
