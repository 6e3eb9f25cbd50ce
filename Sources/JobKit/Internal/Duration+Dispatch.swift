import Dispatch

extension Duration {
    /// The duration as Dispatch measures it, not below zero; nil beyond what it can add: some 146
    /// years.
    var dispatchInterval: DispatchTimeInterval? {
        guard self > .zero else { return .nanoseconds(0) }
        let nanoseconds = attoseconds / 1_000_000_000
        return nanoseconds < Int64.max / 2 ? .nanoseconds(Int(nanoseconds)) : nil
    }
}
