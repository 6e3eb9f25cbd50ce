/// The tree of a job's orders, which is walked depth first.
struct StepOrderTree {
    /// The choices of the next order.
    ///
    /// After the last one, the first step is taken.
    private(set) var next: [Int] = []
    private var previous: [StepTrace] = []

    /// Moves to the next order.
    ///
    /// Returns false if all orders have run.
    mutating func orderRan(_ trace: [StepTrace]) -> Bool {
        previous = trace
        var path = trace.filter { $0.count > 1 }
        while let last = path.last, last.choice + 1 == last.count { path.removeLast() }
        guard let last = path.last else { return false }
        next = path.dropLast().map(\.choice) + [last.choice + 1]
        return true
    }

    /// Checks that the order repeats the steps that it shares with the previous one.
    func difference(to trace: [StepTrace]) -> StepDifference? {
        guard !next.isEmpty else { return nil }
        var left = next.count
        let shared = previous.prefix { step in
            if step.count > 1 { left -= 1 }
            return left > 0
        }
        return StepDifference(Array(shared), Array(trace.prefix(shared.count)))
    }
}

/// The first step at which two runs of the same choices differ.
struct StepDifference {
    let index: Int
    let names: [String?]
    let outside: String?

    init?(_ left: [StepTrace], _ right: [StepTrace]) {
        let isSame = zip(left, right).map { $0.name == $1.name && $0.count == $1.count }
        let end = left.count == right.count ? nil : isSame.count
        guard let index = isSame.firstIndex(of: false) ?? end else { return nil }
        self.index = index
        names = [left, right].map { index < $0.count ? $0[index].name : nil }
        outside = (left.prefix(index + 1) + right.prefix(index + 1)).compactMap(\.outside).first
    }
}
