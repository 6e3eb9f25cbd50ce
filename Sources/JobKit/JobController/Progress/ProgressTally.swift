/// Sums the weights of a job's tasks.
///
/// The fraction that a task reports counts only after the code that tracked it, `main()` or a
/// callback, has returned, because until then the total is still growing.
struct ProgressTally: Sendable {
    /// Identifies one run of the job's code, or the time between two runs.
    typealias Generation = UInt32

    // 128 bits, so that sums of weights of any size never overflow.
    private var tracked: Int128 = 0
    private var delivered: Int128 = 0
    /// The completed weight of the unfinished tasks.
    private var partial = 0.0
    /// The same for the tasks that were tracked in the current run of the job's code.
    private var deferred = 0.0
    /// Odd during a run of the job's code, and until `main()` has returned.
    private var generation: Generation = 1

    /// Adds a task and returns the generation, for ``taskAdvanced(weight:from:to:trackedIn:)``.
    mutating func taskTracked(weight: Int64) -> Generation {
        tracked += Int128(weight)
        return generation
    }

    /// Counts a delivered task that had done `fraction` of its weight before.
    mutating func taskDelivered(weight: Int64, fraction: Double) {
        delivered += Int128(weight)
        if fraction > 0 { partial -= Double(weight) * fraction }
    }

    mutating func taskAdvanced(
        weight: Int64,
        from old: Double,
        to new: Double,
        trackedIn generation: Generation
    ) {
        let advance = Double(weight) * (new - old)
        if generation == self.generation, isInCode {
            deferred += advance
        } else {
            partial += advance
        }
    }

    // MARK: The job's code

    private var isInCode: Bool { generation & 1 == 1 }

    /// Records that a callback is about to be called.
    mutating func codeBegins() { generation |= 1 }

    /// Records that `main()` or a callback has returned.
    mutating func codeReturned() {
        guard isInCode else { return }
        generation &+= 1
        guard deferred != 0 else { return }
        partial += deferred
        deferred = 0
    }

    /// The completed fraction, which is below 1 because the job has not finished.
    var fraction: Double {
        guard tracked > 0 else { return 0 }
        return max(0, min((Double(delivered) + partial) / Double(tracked), 1.0.nextDown))
    }
}
