/// A change of a store's health.
public enum StoreNews: Sendable, Equatable {
    /// Writes have begun to fail for this reason.
    ///
    /// They are tried again.
    case failing(String)
    /// Writes succeed again.
    case back
    /// The file is gone or was replaced.
    ///
    /// Nothing is written any longer.
    case lost(String)
}
