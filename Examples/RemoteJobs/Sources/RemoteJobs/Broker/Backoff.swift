/// How long to wait before the next try to reach a broker: 0.1 s at first, 5 s at last.
struct Backoff {
    private var failures = 0

    /// Begins with no failure.
    init() {}

    /// A try has failed.
    ///
    /// - Parameter random: A number from 0 to 1, which spreads those who try at the same time.
    /// - Returns: How long to wait: between half and all of what is due.
    mutating func failed(random: Double) -> Duration {
        let due = min(5, 0.1 * Double(1 << min(failures, 10)))
        failures += 1
        return .milliseconds(Int64(due * 1_000 * (0.5 + random / 2)))
    }

    /// A try has succeeded.
    mutating func succeeded() {
        failures = 0
    }
}
