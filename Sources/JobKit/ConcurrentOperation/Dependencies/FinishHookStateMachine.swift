/// The life of a ``FinishHook``: registered with Foundation once, and ended once, by the finish or
/// by a detach.
///
/// Foundation registers a dependent in two steps. A registration that is taken back between them
/// leaves the dependent behind for good, so a detach that comes meanwhile is only noted: the thread
/// that registers takes the registration back.
struct FinishHookStateMachine: Sendable {
    private enum Phase {
        case made
        case registering
        case detachedWhileRegistering
        case watching
        case ended
    }

    /// What follows from a registration that is complete.
    enum Registered: Equatable {
        /// The hook must live until it is ended.
        case watch
        case takeBack
        /// The finish was heard meanwhile; Foundation has forgotten the hook.
        case forget
    }

    /// What follows from a detach.
    enum Detached: Equatable {
        /// The watch had ended.
        case tooLate
        /// There is nothing to take back, or the thread that registers does it.
        case ended
        case takeBack
    }

    private var phase = Phase.made

    /// Returns whether to register; false if the hook was detached before.
    mutating func watchBegan() -> Bool {
        guard phase == .made else { return false }
        phase = .registering
        return true
    }

    mutating func registered() -> Registered {
        switch phase {
        case .registering:
            phase = .watching
            return .watch
        case .detachedWhileRegistering:
            phase = .ended
            return .takeBack
        case .made, .watching, .ended:
            return .forget
        }
    }

    /// Returns whether to call the body.
    mutating func finishHeard() -> Bool {
        guard phase == .registering || phase == .watching else { return false }
        phase = .ended
        return true
    }

    mutating func detached() -> Detached {
        switch phase {
        case .made:
            phase = .ended
            return .ended
        case .registering:
            phase = .detachedWhileRegistering
            return .ended
        case .watching:
            phase = .ended
            return .takeBack
        case .detachedWhileRegistering, .ended:
            return .tooLate
        }
    }
}
