/// Orders reports of a value that several threads change, so that the newest is reported last.
///
/// If two threads read the value under a lock and reported it without the lock, the older value
/// could be reported last.
struct NewestToldStateMachine: Sendable {
    private enum Phase {
        case told
        case telling
        case outdated
    }

    private var phase = Phase.told

    /// Records that the value has changed.
    ///
    /// - Returns: Whether the caller must read and report it. Otherwise, another thread does.
    mutating func changed() -> Bool {
        defer { phase = phase == .told ? .telling : .outdated }
        return phase == .told
    }

    /// Records that the caller has reported the value.
    ///
    /// - Returns: Whether the value has changed since it was read, so that the caller must report
    ///   it again.
    mutating func told() -> Bool {
        precondition(phase != .told, "told() without changed()")
        defer { phase = phase == .outdated ? .telling : .told }
        return phase == .outdated
    }
}
