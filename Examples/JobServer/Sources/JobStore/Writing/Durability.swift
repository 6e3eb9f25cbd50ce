/// The failures that a confirmed write survives.
public enum Durability: String, Sendable, CaseIterable {
    /// A power cut, because each commit is synced to the disk.
    case powerLoss = "power-loss"
    /// Any end of the process.
    ///
    /// A power cut may lose the last moments.
    case crash
}
