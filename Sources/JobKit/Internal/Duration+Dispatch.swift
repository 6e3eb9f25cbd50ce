import Dispatch

extension Duration {
    /// The duration for Dispatch, at least zero.
    ///
    /// Nil if it is longer than Dispatch can add, which is about 146 years.
    var dispatchInterval: DispatchTimeInterval? { dispatchInterval(largestCount: Int64(Int.max)) }

    /// The duration in the finest unit that an integer can count, rounded up.
    ///
    /// - Parameter largestCount: The largest `Int`. On a watch, it is 2 seconds in nanoseconds.
    /// - Returns: Nil if the duration is longer than Dispatch can add.
    func dispatchInterval(largestCount: Int64) -> DispatchTimeInterval? {
        guard self > .zero else { return .nanoseconds(0) }
        guard attoseconds / 1_000_000_000 < Int64.max / 2 else { return nil }
        func count(of unit: Int128) -> Int? {
            let count = (attoseconds + unit - 1) / unit
            return count <= largestCount ? Int(count) : nil
        }
        // If nanoseconds suffice, the duration is truncated instead of rounded, to keep earlier
        // behavior.
        let nanoseconds = attoseconds / 1_000_000_000
        if nanoseconds <= largestCount { return .nanoseconds(Int(nanoseconds)) }
        if let count = count(of: 1_000_000_000_000) { return .microseconds(count) }
        if let count = count(of: 1_000_000_000_000_000) { return .milliseconds(count) }
        return count(of: 1_000_000_000_000_000_000).map { .seconds($0) }
    }
}
