/// How to handle an added operation or entry that duplicates others.
public enum DuplicatePolicy: Sendable {
    /// The new one waits behind the others.
    case append
    /// The new one replaces those that wait.
    case replace
    /// If one waits, the new one is not added.
    case keep
    /// If one waits or runs, the new one is not added.
    case join
}
