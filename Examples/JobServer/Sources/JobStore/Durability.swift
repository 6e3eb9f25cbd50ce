/// What an answered write outlives.
public enum Durability: String, Sendable, CaseIterable {
    /// A power cut: each commit is synced to the disk.
    case powerLoss = "power-loss"
    /// The end of the process, however it ended; a power cut may take the last moments.
    case crash
}
