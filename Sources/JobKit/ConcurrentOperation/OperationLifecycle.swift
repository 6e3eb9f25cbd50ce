/// The life of an operation in one word: which events came, and what follows from each.
///
/// The shell keeps the word in an atomic and repeats a transition that another thread overtook, so
/// every transition is a pure function of the word.
struct OperationLifecycle: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    /// `start()` was called.
    static let started = Self(rawValue: 1 << 0)
    /// `main()` was entered.
    static let entered = Self(rawValue: 1 << 1)
    /// `isExecuting` was announced.
    static let executing = Self(rawValue: 1 << 2)
    /// `isCancelled`.
    static let cancelled = Self(rawValue: 1 << 3)
    /// The maximum runtime was overrun; the outcome is settled.
    static let overrun = Self(rawValue: 1 << 4)
    /// A finish won; what it brought is being stored.
    static let claimed = Self(rawValue: 1 << 5)
    /// What the finish brought is stored.
    static let settled = Self(rawValue: 1 << 6)
    /// The finish brought an error.
    static let withError = Self(rawValue: 1 << 7)
    /// The finish brought a `CancellationError`.
    static let withCancellation = Self(rawValue: 1 << 8)
    /// The finish decides the outcome even if the operation is cancelled: a job's own decision.
    static let decided = Self(rawValue: 1 << 9)
    /// `didCancel()` is running.
    static let notifying = Self(rawValue: 1 << 10)
    /// One caller has taken on to carry out the end.
    static let ending = Self(rawValue: 1 << 11)
    /// `isFinished`.
    static let finished = Self(rawValue: 1 << 12)
    /// A dependency was added at some time.
    static let hasDependencies = Self(rawValue: 1 << 13)
    /// Added to a ``TaskQueue``: Foundation has no say in when the operation is ready.
    static let queued = Self(rawValue: 1 << 15)
    /// Foundation has asked whether the operation is ready, and keeps the answer.
    static let asked = Self(rawValue: 1 << 17)
    /// Foundation was told that the operation is not ready.
    static let refused = Self(rawValue: 1 << 18)
    /// Some job tells observers of this operation.
    static let observed = Self(rawValue: 1 << 16)
    /// The operation has timers: a clock, a limit or a delay was set.
    static let isTimed = Self(rawValue: 1 << 14)

    /// What follows from `start()`.
    enum Start: Equatable {
        case enterMain
        case skipMain
        case refuseSecondStart
    }

    /// What follows from `cancel()` or an overrun.
    enum Cancel: Equatable {
        case ignore
        case announce
        case announceAndTell
    }

    /// The outcome that the word stands for; the error itself is stored elsewhere.
    enum Ending: Equatable {
        case succeeded
        case failed
        case timedOut
        case cancelled
    }

    mutating func startCalled() -> Start {
        guard !contains(.started) else { return .refuseSecondStart }
        insert(.started)
        guard isDisjoint(with: [.cancelled, .claimed]) else { return .skipMain }
        formUnion([.entered, .executing])
        return .enterMain
    }

    /// Returns whether this finish is the first, so that its caller stores what it brought.
    mutating func finishCalled() -> Bool {
        guard isDisjoint(with: [.claimed, .ending]) else { return false }
        insert(.claimed)
        return true
    }

    /// Returns whether the caller shall carry out the end.
    ///
    /// A finish from another thread waits for a `didCancel()` that is running, so that the
    /// operation never finishes while it is told of the cancel.
    mutating func finishStored(_ brought: Self, insideDidCancel: Bool) -> Bool {
        formUnion(brought)
        insert(.settled)
        guard contains(.started), insideDidCancel || !contains(.notifying) else { return false }
        return endClaimed()
    }

    /// Returns whether the start that skipped `main()` carries out the end itself; a finish that is
    /// still being stored does it otherwise.
    mutating func mainSkipped() -> Bool {
        contains(.claimed) && !contains(.settled) ? false : endClaimed()
    }

    mutating func cancelCalled() -> Cancel {
        guard isDisjoint(with: [.cancelled, .ending]) else { return .ignore }
        insert(.cancelled)
        return toldOfCancel()
    }

    mutating func runtimeOverrun() -> Cancel {
        guard contains(.entered), isDisjoint(with: [.cancelled, .claimed, .ending]) else {
            return .ignore
        }
        formUnion([.cancelled, .overrun])
        return toldOfCancel()
    }

    /// Returns whether the caller shall carry out the end, because a finish came meanwhile.
    mutating func didCancelReturned() -> Bool {
        remove(.notifying)
        return contains(.settled) ? endClaimed() : false
    }

    /// Returns whether the caller is the one who carries out the end.
    mutating func endClaimed() -> Bool {
        guard !contains(.ending) else { return false }
        insert(.ending)
        return true
    }

    /// Claims the end that a job has decided upon; returns false if there was one before, or, where
    /// the job was just completing, a cancel.
    mutating func endDecided(_ brought: Self, unlessCancelled: Bool) -> Bool {
        guard !contains(.ending), !(unlessCancelled && contains(.cancelled)) else { return false }
        formUnion(brought)
        formUnion([.claimed, .settled, .decided, .ending])
        return true
    }

    private mutating func toldOfCancel() -> Cancel {
        guard contains(.entered), !contains(.claimed) else { return .announce }
        insert(.notifying)
        return .announceAndTell
    }

    /// Whether the operation has finished with an error or by an overrun.
    var hasFailed: Bool {
        contains(.finished) && !isDisjoint(with: [.withError, .overrun])
    }

    /// Whether no code of the user's can run any more although the operation has not finished.
    var isCancelledBeforeMain: Bool { contains(.cancelled) && !contains(.entered) }

    /// Whether nothing of the operation ran when it was cancelled.
    var isCancelledBeforeStart: Bool { contains(.cancelled) && !contains(.started) }

    /// The outcome, once finished.
    var outcome: Ending {
        if !contains(.decided) {
            if contains(.overrun) { return .timedOut }
            if contains(.cancelled) { return .cancelled }
        }
        if contains(.withCancellation) { return .cancelled }
        if contains(.withError) { return .failed }
        return contains(.settled) ? .succeeded : .cancelled
    }
}
