/// Decides who tells of a value that threads change, so that the newest is told last.
///
/// Two threads that read under a lock and told without it could tell the older value last.
struct NewestToldStateMachine: Sendable {
    private enum Phase {
        case told
        case telling
        case outdated
    }

    private var phase = Phase.told

    /// The value has changed.
    ///
    /// - Returns: Whether the caller reads it and tells of it; otherwise another does.
    mutating func changed() -> Bool {
        defer { phase = phase == .told ? .telling : .outdated }
        return phase == .told
    }

    /// The caller has told of what it read.
    ///
    /// - Returns: Whether the value has changed since, and the caller does it again.
    mutating func told() -> Bool {
        precondition(phase != .told, "told() without changed()")
        defer { phase = phase == .outdated ? .telling : .told }
        return phase == .outdated
    }
}
