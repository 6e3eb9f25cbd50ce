/// Names the readings that belong together: one figure of one variant of a workload of one size.
struct Series: Hashable, Sendable {
    /// The workload's name.
    let workload: String
    /// How many tasks, or latencies, one round has.
    let size: Int
    /// The variant's name.
    let variant: String
    /// What was measured.
    let figure: Figure

    /// Whether the readings are a workload's.
    func isOf(_ workload: Workload) -> Bool {
        self.workload == workload.name && size == workload.size
    }
}
