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
    enum RegisteredAction: Equatable {
        /// The hook must live until it has ended.
        case watch
        case unregister
        /// The operation finished during the registration, so Foundation has forgotten the hook.
        case forget
    }

    /// The action after the hook was detached.
    enum DetachedAction: Equatable {
        /// The hook had already ended.
        case tooLate
        /// There is nothing to remove, or the registering thread removes it.
        case ended
        case unregister
    }

    private var phase = Phase.made

    /// Returns whether to register: false if the hook was detached before.
    mutating func watchBegan() -> Bool {
        guard phase == .made else { return false }
        phase = .registering
        return true
    }

    mutating func registered() -> RegisteredAction {
        switch phase {
        case .registering:
            phase = .watching
            return .watch
        case .detachedWhileRegistering:
            phase = .ended
            return .unregister
        case .made, .watching, .ended:
            return .forget
        }
    }

    /// Returns whether to call the body.
    mutating func finishDetected() -> Bool {
        guard phase == .registering || phase == .watching else { return false }
        phase = .ended
        return true
    }

    mutating func detached() -> DetachedAction {
        switch phase {
        case .made:
            phase = .ended
            return .ended
        case .registering:
            phase = .detachedWhileRegistering
            return .ended
        case .watching:
            phase = .ended
            return .unregister
        case .detachedWhileRegistering, .ended:
            return .tooLate
        }
    }
}
