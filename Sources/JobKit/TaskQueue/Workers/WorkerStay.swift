/// A worker from when it has come until it leaves.
struct WorkerStay {
    let index: Int
    /// When it came, in nanoseconds.
    let begin: UInt64
    /// Whether others were at work then.
    let isBesideOthers: Bool

    /// About what it costs to call a worker, on both sides together, in nanoseconds.
    static let costOfACall: UInt64 = 20_000

    /// Whether it came to others, and had less to do until `now`, in nanoseconds, than it cost.
    func wasShort(at now: UInt64) -> Bool {
        isBesideOthers && now < begin + Self.costOfACall
    }
}
