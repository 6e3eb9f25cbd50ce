/// The events in an operation's life so far, and the action that follows each event.
///
/// The shell stores them in an atomic word together with ``OperationFlags``, and repeats a
/// transition if another thread was faster. Therefore, every transition is a pure function of the
/// word.
struct OperationLifecycle: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    /// `start()` was called.
    static let started = Self(rawValue: 1 << 0)
    /// `main()` was entered.
    static let entered = Self(rawValue: 1 << 1)
    /// `isExecuting`, until the operation finishes.
    static let executing = Self(rawValue: 1 << 2)
    /// `isCancelled`.
    static let cancelled = Self(rawValue: 1 << 3)
    /// The maximum runtime has passed, and the outcome is decided.
    static let timedOut = Self(rawValue: 1 << 4)
    /// A call of `finish` has won, and its outcome is being stored.
    static let claimed = Self(rawValue: 1 << 5)
    /// The outcome of `finish` is stored.
    static let stored = Self(rawValue: 1 << 6)
    /// `finish` was called with an error.
    static let withError = Self(rawValue: 1 << 7)
    /// `finish` was called with a `CancellationError`.
    static let withCancellation = Self(rawValue: 1 << 8)
    /// The outcome is that of `finish`, and later events do not change it.
    static let decided = Self(rawValue: 1 << 9)
    /// `didCancel()` is running.
    static let callingDidCancel = Self(rawValue: 1 << 10)
    /// One caller is responsible for completing the operation.
    static let ending = Self(rawValue: 1 << 11)
    /// `isFinished`.
    static let finished = Self(rawValue: 1 << 12)
    /// The stop time has passed, so the end no longer waits for the operation's code.
    static let abandoned = Self(rawValue: 1 << 13)
    /// A cancellation has begun that will reach the operation, so it no longer enters `main()`.
    static let barred = Self(rawValue: 1 << 14)

    /// The action after `start()`.
    enum StartAction: Equatable {
        case prepareMain
        case skipMain
        case refuseSecondStart
    }

    /// The action after `cancel()` or a timeout.
    enum CancelAction: Equatable {
        case ignore
        case announce
        /// Announce it and end the operation, which was started and will not enter `main()`.
        case announceAndSkipMain
        case announceAndCallDidCancel
    }

    /// The result of a job's decision to end.
    enum EndDecidedAction: Equatable {
        /// The end was decided before.
        case refused
        case taken
        /// The decision has also made the job cancelled.
        case takenAsCancel
    }

    /// The kind of outcome.
    ///
    /// The error itself is stored elsewhere.
    enum OutcomeKind: Equatable {
        case succeeded
        case failed
        case timedOut
        case cancelled
    }

    mutating func startCalled() -> StartAction {
        guard !contains(.started) else { return .refuseSecondStart }
        insert(.started)
        guard isDisjoint(with: [.cancelled, .claimed, .barred]) else { return .skipMain }
        insert(.executing)
        return .prepareMain
    }

    /// Returns whether to enter `main()`: false after a cancellation, a timeout or a call of
    /// `finish`.
    ///
    /// If this returns true, the caller calls `main()` immediately. Therefore, code that cancels or
    /// finishes the operation later can assume that `main()` runs.
    mutating func mainEntering() -> Bool {
        guard isDisjoint(with: [.cancelled, .claimed, .barred]) else { return false }
        insert(.entered)
        return true
    }

    /// Makes a barred operation cancelled that ends without `main()`.
    ///
    /// - Returns: Whether the caller must announce this: true if the cancellation that bars the
    ///   operation has not arrived yet.
    mutating func barredOperationEnds() -> Bool {
        guard contains(.barred), isDisjoint(with: [.cancelled, .claimed, .ending]) else {
            return false
        }
        insert(.cancelled)
        return true
    }

    /// Ends an operation that will never enter `main()`.
    ///
    /// - Returns: Whether the caller completes the operation. If the outcome of `finish` is still
    ///   being stored, the storing thread does.
    mutating func mainSkipped() -> Bool {
        contains(.claimed) && !contains(.stored) ? false : endClaimed()
    }

    /// Returns whether this call of `finish` is the first, so that its caller stores the outcome.
    mutating func finishCalled() -> Bool {
        guard isDisjoint(with: [.claimed, .ending]) else { return false }
        insert(.claimed)
        return true
    }

    /// Marks the operation as cancelled by `finish`.
    ///
    /// Returns whether the caller must announce that.
    mutating func finishedWithCancellation() -> Bool {
        guard !contains(.cancelled) else { return false }
        insert(.cancelled)
        return true
    }

    /// Records that the outcome is stored.
    ///
    /// Returns whether the caller completes the operation.
    ///
    /// The end waits for a `didCancel()` that is running on any thread. Therefore, no code of the
    /// operation runs after the end.
    mutating func finishStored(_ flags: Self) -> Bool {
        formUnion(flags)
        insert(.stored)
        guard contains(.started), !waitsForDidCancel else { return false }
        return endClaimed()
    }

    /// Records a cancellation, which counts until the outcome is decided.
    ///
    /// After that, until the operation has finished, a cancellation only sets `isCancelled`.
    mutating func cancelCalled() -> CancelAction {
        guard isDisjoint(with: [.cancelled, .finished]) else { return .ignore }
        insert(.cancelled)
        return cancelAction()
    }

    mutating func runtimePassed() -> CancelAction {
        guard contains(.started), isDisjoint(with: [.cancelled, .claimed, .ending]) else {
            return .ignore
        }
        formUnion([.cancelled, .timedOut])
        return cancelAction()
    }

    /// Returns whether the caller completes the operation, because `finish` was called in the
    /// meantime.
    mutating func didCancelReturned() -> Bool {
        remove(.callingDidCancel)
        return contains(.stored) ? endClaimed() : false
    }

    /// Abandons an operation, which is not a job, because its stop time has passed.
    ///
    /// A running `didCancel()` no longer delays the end. From now on, a thread that stores the
    /// outcome of `finish` completes the operation at once.
    ///
    /// - Returns: Whether the caller completes the operation.
    mutating func stopTimePassed() -> Bool {
        guard contains([.started, .cancelled]), !contains(.ending) else { return false }
        insert(.abandoned)
        return contains(.claimed) && !contains(.stored) ? false : endClaimed()
    }

    /// Whether the end waits until `didCancel()` has returned.
    private var waitsForDidCancel: Bool { contains(.callingDidCancel) && !contains(.abandoned) }

    /// Returns whether the caller is the one that completes the operation.
    ///
    /// This decides the outcome. A later cancellation or timeout does not change it.
    mutating func endClaimed() -> Bool {
        guard !contains(.ending) else { return false }
        insert(.ending)
        if !contains(.cancelled) { insert(.decided) }
        return true
    }

    /// Decides the end of a job that has nothing left to run, except perhaps a `didCancel()`.
    mutating func endDecided(_ flags: Self) -> EndDecidedAction {
        guard isDisjoint(with: [.decided, .ending]) else { return .refused }
        formUnion(flags)
        formUnion([.claimed, .decided])
        return flags.contains(.withCancellation) && finishedWithCancellation()
            ? .takenAsCancel : .taken
    }

    /// Returns whether the caller carries out the end that was decided.
    ///
    /// If `didCancel()` is running, its thread does so when it has returned.
    mutating func decisionStored() -> Bool {
        insert(.stored)
        return waitsForDidCancel ? false : endClaimed()
    }

    private mutating func cancelAction() -> CancelAction {
        guard contains(.started), !contains(.claimed) else { return .announce }
        guard contains(.entered) else { return .announceAndSkipMain }
        insert(.callingDidCancel)
        return .announceAndCallDidCancel
    }

    /// Whether the operation has finished with an error or because it timed out.
    var hasFailed: Bool {
        contains(.finished) && contains(contains(.decided) ? .withError : .timedOut)
    }

    /// Whether a start would lead to `main()`.
    var mayEnterMain: Bool { isDisjoint(with: [.started, .cancelled, .claimed, .barred]) }

    /// Whether the operation was cancelled before any of its code ran.
    var isCancelledBeforeStart: Bool { contains(.cancelled) && !contains(.started) }

    /// The outcome, or nil until it is decided.
    ///
    /// A timeout decides it at once. Otherwise, it is decided when the end begins.
    var outcome: OutcomeKind? {
        guard contains(.decided) else {
            if contains(.timedOut) { return .timedOut }
            return contains(.ending) ? .cancelled : nil
        }
        if contains(.withCancellation) { return .cancelled }
        return contains(.withError) ? .failed : .succeeded
    }
}
