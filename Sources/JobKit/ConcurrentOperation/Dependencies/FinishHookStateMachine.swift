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

    private var phase = Phase.made

    /// Returns whether to register: false if the hook was detached before.
    mutating func watchBegan() -> Bool {
        guard phase == .made else { return false }
        phase = .registering
        return true
    }

    /// Returns whether the hook must live until it has ended.
    ///
    /// If not, it was detached or has ended during the registration, which must be removed.
    mutating func registered() -> Bool {
        phase = phase == .registering ? .watching : .ended
        return phase == .watching
    }

    /// Returns whether to call the body.
    mutating func finishDetected() -> Bool {
        guard phase == .registering || phase == .watching else { return false }
        phase = .ended
        return true
    }

    /// Detaches the hook.
    ///
    /// - Returns: Whether the hook had not ended before, and whether the caller must remove the
    ///   registration.
    mutating func detached() -> (isFirst: Bool, mustUnregister: Bool) {
        let before = phase
        switch before {
        case .made, .watching: phase = .ended
        case .registering: phase = .detachedWhileRegistering
        case .detachedWhileRegistering, .ended: return (false, false)
        }
        return (true, before == .watching)
    }
}
