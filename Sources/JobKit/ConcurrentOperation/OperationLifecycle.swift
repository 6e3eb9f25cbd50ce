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
    /// `isExecuting`, until the finish.
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
    /// The outcome is what the finish brought, whatever comes later.
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
    /// A job that tracks the operation has a context for it to run inside.
    static let inContext = Self(rawValue: 1 << 19)
    /// More than one job has tracked the operation.
    static let isShared = Self(rawValue: 1 << 20)
    /// The class does more in `start()` than others: a workflow.
    static let startsItsOwnWay = Self(rawValue: 1 << 21)
    /// The time to stop has passed: the end no longer waits for the operation's code.
    static let abandoned = Self(rawValue: 1 << 22)
    /// The default `didCancel()` was called, which does nothing.
    static let ignoresStop = Self(rawValue: 1 << 25)
    /// `queuePriority` was set.
    static let prioritized = Self(rawValue: 1 << 23)

    /// A cancellation has begun that will reach the operation: `main()` is not entered any longer.
    static let barred = Self(rawValue: 1 << 24)

    /// What follows from `start()`.
    enum Start: Equatable {
        case prepareMain
        case skipMain
        case refuseSecondStart
    }

    /// What follows from `cancel()` or an overrun.
    enum Cancel: Equatable {
        case ignore
        case announce
        /// Announce it and end the operation: it was started, and enters `main()` no more.
        case announceAndSkipMain
        case announceAndTell
    }

    /// What follows from the end of the time to stop.
    enum StopTimeAction: Equatable {
        /// The operation was not asked to stop, or it has ended.
        case ignore
        /// The caller carries out the end.
        case end
        /// A finish that is being stored carries out the end.
        case left
    }

    /// What follows from a job's decision about its end.
    enum Decision: Equatable {
        /// There was an end before, or a cancel that goes before.
        case refused
        case taken
        /// The job has so become cancelled.
        case takenAsCancel
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
        guard isDisjoint(with: [.cancelled, .claimed, .barred]) else { return .skipMain }
        insert(.executing)
        return .prepareMain
    }

    /// Returns whether to enter `main()`; false where a cancel, an overrun or a finish came since
    /// the start.
    ///
    /// Nothing stands between this and the call of `main()`: who cancels or finishes from now on
    /// may rely on it.
    mutating func mainEntering() -> Bool {
        guard isDisjoint(with: [.cancelled, .claimed, .barred]) else { return false }
        insert(.entered)
        return true
    }

    /// The operation ends without `main()`; returns whether it has so become cancelled, before the
    /// cancellation that bars it has come.
    mutating func barredOperationEnds() -> Bool {
        guard contains(.barred), isDisjoint(with: [.cancelled, .claimed, .ending]) else {
            return false
        }
        insert(.cancelled)
        return true
    }

    /// Returns whether the caller, who knows that `main()` is never entered, carries out the end; a
    /// finish that is still being stored does it otherwise.
    mutating func mainSkipped() -> Bool {
        contains(.claimed) && !contains(.settled) ? false : endClaimed()
    }

    /// Returns whether this finish is the first, so that its caller stores what it brought.
    mutating func finishCalled() -> Bool {
        guard isDisjoint(with: [.claimed, .ending]) else { return false }
        insert(.claimed)
        return true
    }

    /// The finish that won is a cancel; returns whether the caller shall announce that.
    mutating func cancellationBrought() -> Bool {
        guard !contains(.cancelled) else { return false }
        insert(.cancelled)
        return true
    }

    /// Returns whether the caller shall carry out the end.
    ///
    /// A finish waits for a `didCancel()` that is running, on whatever thread, so that no code of
    /// the operation's runs after the end.
    mutating func finishStored(_ brought: Self) -> Bool {
        formUnion(brought)
        insert(.settled)
        guard contains(.started), !isHeldByNotice else { return false }
        return endClaimed()
    }

    /// A cancellation counts until the outcome is decided.
    ///
    /// After that, and until the operation has finished, it only sets `isCancelled`.
    mutating func cancelCalled() -> Cancel {
        guard isDisjoint(with: [.cancelled, .finished]) else { return .ignore }
        insert(.cancelled)
        return toldOfCancel()
    }

    mutating func runtimeOverrun() -> Cancel {
        guard contains(.started), isDisjoint(with: [.cancelled, .claimed, .ending]) else {
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

    /// The time to stop has passed, of an operation that is not a job.
    ///
    /// A `didCancel()` that is running no longer holds back the end: a thread that stores a finish
    /// from now on carries it out at once.
    mutating func stopTimePassed() -> StopTimeAction {
        guard contains([.started, .cancelled]), !contains(.ending) else { return .ignore }
        insert(.abandoned)
        guard !contains(.claimed) || contains(.settled) else { return .left }
        return endClaimed() ? .end : .left
    }

    /// Whether the end waits for the return of a `didCancel()`.
    private var isHeldByNotice: Bool { contains(.notifying) && !contains(.abandoned) }

    /// Returns whether the caller is the one who carries out the end.
    ///
    /// This decides the outcome: a cancellation or a time limit that comes later changes nothing.
    mutating func endClaimed() -> Bool {
        guard !contains(.ending) else { return false }
        insert(.ending)
        if !contains(.cancelled) { insert(.decided) }
        return true
    }

    /// A job has decided upon its end, with nothing left to run but a `didCancel()`.
    mutating func endDecided(_ brought: Self, unlessCancelled: Bool) -> Decision {
        guard isDisjoint(with: [.decided, .ending]), !(unlessCancelled && contains(.cancelled))
        else { return .refused }
        formUnion(brought)
        formUnion([.claimed, .decided])
        return brought.contains(.withCancellation) && cancellationBrought()
            ? .takenAsCancel : .taken
    }

    /// Returns whether the caller shall carry out the end that was decided; a `didCancel()` that is
    /// running does it otherwise, when it has returned.
    mutating func decidedEndDue() -> Bool {
        insert(.settled)
        return isHeldByNotice ? false : endClaimed()
    }

    /// Whether one announcement is enough after Foundation was told that the operation is not
    /// ready.
    static var isRepairedOnce: Bool {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }

    /// Foundation was told again that the operation is ready; a refusal from now on counts anew.
    mutating func refusalSettled() { remove(.refused) }

    private mutating func toldOfCancel() -> Cancel {
        guard contains(.started), !contains(.claimed) else { return .announce }
        guard contains(.entered) else { return .announceAndSkipMain }
        insert(.notifying)
        return .announceAndTell
    }

    /// Whether the operation has finished with an error or because it timed out.
    var hasFailed: Bool {
        contains(.finished) && contains(contains(.decided) ? .withError : .overrun)
    }

    /// Whether a start would lead to `main()`.
    var mayEnterMain: Bool { isDisjoint(with: [.started, .cancelled, .claimed, .barred]) }

    /// Whether nothing of the operation ran when it was cancelled.
    var isCancelledBeforeStart: Bool { contains(.cancelled) && !contains(.started) }

    /// The outcome; nil until it is decided.
    ///
    /// A timeout decides it at once, anything else when the end begins.
    var outcome: Ending? {
        guard contains(.decided) else {
            if contains(.overrun) { return .timedOut }
            return contains(.ending) ? .cancelled : nil
        }
        if contains(.withCancellation) { return .cancelled }
        return contains(.withError) ? .failed : .succeeded
    }
}
