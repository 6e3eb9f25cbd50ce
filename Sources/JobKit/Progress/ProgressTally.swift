/// Sums the weights of a job's tasks.
struct ProgressTally: Sendable {
    // Sums of weights of any size never overflow in these.
    private var tracked: Int128 = 0
    private var delivered: Int128 = 0
    /// What the unfinished tasks have done, in weights.
    private var partial = 0.0

    mutating func taskTracked(weight: Int64) { tracked += Int128(weight) }

    /// A task was delivered that had done `fraction` of its weight before.
    mutating func taskDelivered(weight: Int64, fraction: Double) {
        delivered += Int128(weight)
        if fraction > 0 { partial -= Double(weight) * fraction }
    }

    mutating func taskAdvanced(weight: Int64, from old: Double, to new: Double) {
        partial += Double(weight) * (new - old)
    }

    /// The share that is done; below 1 because the job has not finished.
    var fraction: Double {
        guard tracked > 0 else { return 0 }
        return max(0, min((Double(delivered) + partial) / Double(tracked), 1.0.nextDown))
    }
}
