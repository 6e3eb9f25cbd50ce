/// The state of a run.
public enum RunState: String, Sendable, CaseIterable {
    /// It is waiting for its start.
    case queued
    /// It was started and has not ended.
    case running
    /// Its job succeeded.
    case succeeded
    /// Its job failed or could not be created.
    case failed
    /// A person cancelled it.
    case cancelled
    /// The server stopped before it ended.
    case interrupted

    /// Whether the state is final.
    public var isEnd: Bool { self != .queued && self != .running }
}
