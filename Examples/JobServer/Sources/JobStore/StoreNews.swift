/// What a store tells of its health.
public enum StoreNews: Sendable, Equatable {
    /// Writes begin to fail, for this reason; they are tried again.
    case failing(String)
    /// Writes succeed again.
    case back
    /// The file is gone or is another one than was opened; nothing is written any more.
    case lost(String)
}
