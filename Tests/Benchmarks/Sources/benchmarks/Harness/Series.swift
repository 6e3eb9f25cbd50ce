/// Identifies readings of the same figure, variant, workload and size.
struct Series: Hashable, Sendable {
    /// The workload's name.
    let workload: String
    /// The number of tasks or latencies in a round.
    let size: Int
    /// The variant's name.
    let variant: String
    /// The measured quantity.
    let figure: Figure

    /// Whether the readings belong to `workload`.
    func isOf(_ workload: Workload) -> Bool {
        self.workload == workload.name && size == workload.size
    }
}
