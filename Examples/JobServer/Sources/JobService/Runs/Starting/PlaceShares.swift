/// Divides the permits for tasks evenly among the runs, at least one for each run.
///
/// Permits that a run may not use, or that remain after the division, go to the other runs, the
/// oldest first.
struct PlaceShares<ID: Hashable & Sendable>: Sendable {
    private struct Run: Sendable {
        let id: ID
        let limit: Int
    }

    /// The number of permits.
    let width: Int
    private var runs: [Run] = []

    init(width: Int) {
        self.width = width
    }

    /// Adds a run that starts.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - limit: The highest number of permits of the run, or nil for no limit.
    mutating func runStarted(_ id: ID, limit: Int? = nil) {
        runs.append(Run(id: id, limit: max(1, limit ?? .max)))
    }

    /// Removes a run that has ended or was abandoned, so that the others get its permits.
    mutating func runEnded(_ id: ID) {
        runs.removeAll { $0.id == id }
    }

    /// The number of permits of each run.
    var shares: [ID: Int] {
        var shares: [ID: Int] = [:]
        var left = width
        // The runs with the lowest limits are served first, so that the rest of their shares is
        // divided too.
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
