import JobKit

extension StepQueue {
    /// The number of random orders that are run first, to estimate the number of all orders.
    private static let probes: UInt64 = 10

    /// Runs a job and this queue's operations in a given order, until the job has finished.
    ///
    /// Everything else is as in ``run(_:seed:patience:)``.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - order: The order, from ``StepOrderError/order``.
    ///   - patience: How long the run may make no progress, in real time.
    /// - Throws: The errors of ``run(_:seed:patience:)``.
    public func run(
        _ job: JobController,
        order: StepOrder,
        patience: Duration = .seconds(1)
    ) async throws {
        let chooser = StepChooser(order.choices[...])
        try await run(job, chooser: chooser, patience: patience).result.get()
    }

    /// Runs a job once in each order of its steps.
    ///
    /// ```swift
    /// let orders = try await StepQueue.runEveryOrder { queue in Import(queue: queue) }
    /// print(orders)      // all 1,260 orders
    /// ```
    ///
    /// If there are more orders than `limit`, it runs as many by probabilistic concurrency testing
    /// (PCT), which finds faults that depend on few steps. It first runs some random orders, one of
    /// them twice. Swift tasks, callbacks and operations run as in ``run(_:seed:patience:)``.
    ///
    /// - Parameters:
    ///   - limit: The number of orders that are run at most by either method.
    ///   - patience: How long a run may make no progress, in real time.
    ///   - make: Creates the job, whose tasks are added to the queue.
    ///   - check: Throws an error if the result of the finished job is wrong.
    /// - Returns: How many orders were run, and whether these are all.
    /// - Throws: ``StepOrderError`` if the job fails, is cancelled or stalls in an order, or if
    ///   `check` throws. ``StepRepeatError`` if the job does not repeat.
    @discardableResult
    public static func runEveryOrder<Job: JobController>(
        limit: Int = 10_000,
        patience: Duration = .seconds(1),
        _ make: (StepQueue) throws -> Job,
        check: (Job) throws -> Void = { _ in }
    ) async throws -> StepOrders {
        precondition(limit > 0, "JobKitTesting: a limit of \(limit) orders")
        var name = ""
        func run(_ rule: any StepRule) async throws -> [StepTrace] {
            let queue = StepQueue()
            let job = try make(queue)
            name = job.label
            let chooser = StepChooser(rule)
            let (result, trace) = await queue.run(job, chooser: chooser, patience: patience)
            do {
                try result.get()
                try check(job)
            } catch {
                try Task.checkCancellation()
                throw StepOrderError(
                    name: name,
                    order: StepOrder(choices: trace.filter { $0.count > 1 }.map(\.choice)),
                    steps: trace.map(\.name),
                    underlyingError: error
                )
            }
            return trace
        }
        func expectSame(_ left: ArraySlice<StepTrace>, _ right: ArraySlice<StepTrace>) throws {
            if let error = StepRepeatError(name: name, left, right) { throw error }
        }

        let first = try await run(StepGenerator(seed: 0))
        try expectSame(first[...], try await run(StepGenerator(seed: 0))[...])
        // The product of the numbers of choices along a random path estimates the number of paths.
        var (steps, estimate) = (1, 0.0)
        for seed in 1...probes {
            let trace = try await run(StepGenerator(seed: seed))
            steps = max(steps, trace.count)
            estimate += trace.reduce(1) { $0 * Double($1.count) } / Double(probes)
        }
        if estimate <= 2 * Double(limit) {
            var tree = StepOrderTree()
            for count in 1...limit {
                let trace = try await run(tree.next[...])
                try expectSame(tree.shared, trace.prefix(tree.shared.count))
                if !tree.orderRan(trace) { return StepOrders(count: count, isComplete: true) }
            }
        }
        for seed in 1...UInt64(limit) {
            _ = try await run(StepPriorities(seed: seed, steps: steps))
        }
        return StepOrders(count: limit, isComplete: false)
    }
}
