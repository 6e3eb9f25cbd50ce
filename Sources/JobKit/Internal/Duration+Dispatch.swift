import Dispatch

extension Duration {
    /// The duration as Dispatch measures it, not below zero; nil beyond what it can add: some 146
    /// years.
    var dispatchInterval: DispatchTimeInterval? { dispatchInterval(largestCount: Int64(Int.max)) }

    /// The duration in the finest unit that an integer can count, rounded up.
    ///
    /// - Parameter largestCount: The largest `Int`: on a watch, 2 seconds in nanoseconds.
    /// - Returns: Nil beyond what Dispatch can add.
    func dispatchInterval(largestCount: Int64) -> DispatchTimeInterval? {
        guard self > .zero else { return .nanoseconds(0) }
        guard attoseconds / 1_000_000_000 < Int64.max / 2 else { return nil }
        func count(of unit: Int128) -> Int? {
            let count = (attoseconds + unit - 1) / unit
            return count <= largestCount ? Int(count) : nil
        }
        // Cut off and not rounded, as it always was, where nanoseconds do.
        let nanoseconds = attoseconds / 1_000_000_000
        if nanoseconds <= largestCount { return .nanoseconds(Int(nanoseconds)) }
        if let count = count(of: 1_000_000_000_000) { return .microseconds(count) }
        if let count = count(of: 1_000_000_000_000_000) { return .milliseconds(count) }
        return count(of: 1_000_000_000_000_000_000).map { .seconds($0) }
    }
}
