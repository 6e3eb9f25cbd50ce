/// Whether there is something to present for a launch item.
public enum Need: Sendable {
    /// Not known yet, for example because a server has not answered.
    case unknown

    /// There is something to present.
    case needed

    /// There is nothing to present.
    case notNeeded
}
