/// Decides how many places each run's tasks have: all places shared evenly, at least one for each run.
///
/// Places that one run may not use, or that do not come out even, go to the others, the oldest first.
struct PlaceShares<ID: Hashable & Sendable>: Sendable {
    private struct Run: Sendable {
        let id: ID
        let limit: Int
    }

    /// How many places there are.
    let width: Int
    private var runs: [Run] = []

    init(width: Int) {
        self.width = width
    }

    /// A run starts to have work.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - limit: How many places it may have at most; nil for as many as there are.
    mutating func runStarted(_ id: ID, limit: Int? = nil) {
        runs.append(Run(id: id, limit: max(1, limit ?? .max)))
    }

    /// A run has ended, or was given up: its places are the others'.
    mutating func runEnded(_ id: ID) {
        runs.removeAll { $0.id == id }
    }

    /// How many places each run has now.
    var shares: [ID: Int] {
        var shares: [ID: Int] = [:]
        var left = width
        // Those that may have least are served first, so that what they leave is shared, too.
        let order = runs.enumerated()
            .sorted { ($0.element.limit, $0.offset) < ($1.element.limit, $1.offset) }
        for (served, run) in order.map(\.element).enumerated() {
            let others = runs.count - served
            let share = max(1, min(run.limit, (left + others - 1) / others))
            shares[run.id] = share
            left = max(0, left - share)
        }
        return shares
    }
}
