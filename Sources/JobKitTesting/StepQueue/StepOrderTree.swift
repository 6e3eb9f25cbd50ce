/// The tree of a job's orders, which is walked depth first.
struct StepOrderTree {
    /// The choices of the next order.
    ///
    /// After the last one, the first step is taken.
    private(set) var next: [Int] = []
    /// The steps that the next order has in common with the previous one.
    private(set) var shared: ArraySlice<StepTrace> = []

    /// Moves to the next order.
    ///
    /// Returns false if all orders have run.
    mutating func orderRan(_ trace: [StepTrace]) -> Bool {
        guard let last = trace.lastIndex(where: { $0.choice + 1 < $0.count }) else { return false }
        shared = trace[..<last]
        next = shared.filter { $0.count > 1 }.map(\.choice) + [trace[last].choice + 1]
        return true
    }
}
