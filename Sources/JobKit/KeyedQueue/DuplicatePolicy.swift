/// What becomes of the duplicates of an operation or entry that is added.
public enum DuplicatePolicy: Sendable {
    /// The new one waits behind them.
    case append
    /// The new one replaces those that wait.
    case replace
    /// If one waits, the new one is not added.
    case keep
    /// If one waits or runs, the new one is not added.
    case join
}
