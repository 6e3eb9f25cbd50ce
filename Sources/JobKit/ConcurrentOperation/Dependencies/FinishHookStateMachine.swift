/// Decides when a ``FinishHook`` registers with Foundation, calls its body and is unregistered.
///
/// A hook registers once, and ends once, by the completion of the operation or because it is
/// detached. Foundation registers a dependent in two steps. If the dependent were removed between
/// them, Foundation would keep it forever. Therefore, a hook that is detached during the
/// registration only changes its phase, and the registering thread then removes the registration.
struct FinishHookStateMachine: Sendable {
    private enum Phase {
        case made
        case registering
        case detachedWhileRegistering
        case watching
        case ended
    }

    /// The action after the registration is complete.
    enum Registered: Equatable {
        /// The hook must live until it has ended.
        case watch
        case takeBack
        /// The operation finished during the registration, so Foundation has forgotten the hook.
        case forget
    }

    /// The action after the hook was detached.
    enum Detached: Equatable {
        /// The hook had already ended.
        case tooLate
        /// There is nothing to remove, or the registering thread removes it.
        case ended
        case takeBack
    }

    private var phase = Phase.made

    /// Returns whether to register: false if the hook was detached before.
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
