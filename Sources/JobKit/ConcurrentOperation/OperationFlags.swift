/// Facts about an operation that no transition of ``OperationLifecycle`` depends on.
///
/// They are the upper half of the word that has the life cycle in its lower half.
struct OperationFlags: OptionSet, Sendable {
    let rawValue: UInt32

    /// A dependency was added at some time, and may have been removed.
    static let hasDependencies = Self(rawValue: 1 << 16)
    /// The operation has timers: a clock, a limit or a delay was set.
    static let isTimed = Self(rawValue: 1 << 17)
    /// Added to a ``TaskQueue``, so Foundation does not determine when the operation is ready.
    static let queued = Self(rawValue: 1 << 18)
    /// A job notifies observers of this operation.
    static let observed = Self(rawValue: 1 << 19)
    /// Foundation has read `isReady` and keeps the value.
    static let readinessRead = Self(rawValue: 1 << 20)
    /// Foundation has read that the operation is not ready.
    static let unreadinessRead = Self(rawValue: 1 << 21)
    /// A job that tracks the operation has a context in which it must run.
    static let inContext = Self(rawValue: 1 << 22)
    /// `queuePriority` was set.
    static let prioritized = Self(rawValue: 1 << 23)
    /// The default `didCancel()` was called, which does nothing.
    static let ignoresStop = Self(rawValue: 1 << 24)
    /// A ``HoldingQueue`` listens, or has listened.
    static let held = Self(rawValue: 1 << 25)
}
