/// Sums the weights of a job's tasks.
///
/// What a task itself says it has done counts from when the code that tracked it, `main()` or a
/// callback, has returned: until then the total is still growing.
struct ProgressTally: Sendable {
    /// One run of the job's code, or the time between two of them.
    typealias Stretch = UInt32

    // Sums of weights of any size never overflow in these.
    private var tracked: Int128 = 0
    private var delivered: Int128 = 0
    /// What the unfinished tasks have done, in weights.
    private var partial = 0.0
    /// The same of the tasks that were tracked in the present run of the job's code.
    private var held = 0.0
    /// Odd in a run of the job's code, and until `main()` has returned.
    private var stretch: Stretch = 1

    /// A task is tracked; returns the stretch, which ``taskAdvanced(weight:from:to:trackedIn:)``
    /// needs.
    @inline(__always)
    mutating func taskTracked(weight: Int64) -> Stretch {
        tracked += Int128(weight)
        return stretch
    }

    /// A task was delivered that had done `fraction` of its weight before.
    @inline(__always)
    mutating func taskDelivered(weight: Int64, fraction: Double) {
        delivered += Int128(weight)
        if fraction > 0 { partial -= Double(weight) * fraction }
    }

    mutating func taskAdvanced(
        weight: Int64,
        from old: Double,
        to new: Double,
        trackedIn stretch: Stretch
    ) {
        let advance = Double(weight) * (new - old)
        if stretch == self.stretch, isInCode { held += advance } else { partial += advance }
    }

    // MARK: The job's code

    private var isInCode: Bool { stretch & 1 == 1 }

    /// A callback is about to be called.
    @inline(__always)
    mutating func codeBegins() { stretch |= 1 }

    /// `main()` or a callback has returned.
    @inline(__always)
    mutating func codeReturned() {
        guard isInCode else { return }
        stretch &+= 1
        guard held != 0 else { return }
        partial += held
        held = 0
    }

    /// The share that is done; below 1 because the job has not finished.
    var fraction: Double {
        guard tracked > 0 else { return 0 }
        return max(0, min((Double(delivered) + partial) / Double(tracked), 1.0.nextDown))
    }
}
